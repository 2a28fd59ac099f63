package io.delayqueue.journeys;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Managed services and proxies over Lettuce, which is Boot's default. */
@ParameterizedClass
@ValueSource(strings = "lettuce")
class RefusedDiagnosticsJourneyTests extends RefusedDiagnostics {

	RefusedDiagnosticsJourneyTests(String driver) {
		super(driver);
	}

}
