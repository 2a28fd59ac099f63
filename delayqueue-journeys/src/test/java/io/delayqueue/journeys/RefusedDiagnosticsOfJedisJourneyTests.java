package io.delayqueue.journeys;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Managed services and proxies over Jedis. */
@Tag("slow")
@ParameterizedClass
@ValueSource(strings = "jedis")
class RefusedDiagnosticsOfJedisJourneyTests extends RefusedDiagnostics {

	RefusedDiagnosticsOfJedisJourneyTests(String driver) {
		super(driver);
	}

}
