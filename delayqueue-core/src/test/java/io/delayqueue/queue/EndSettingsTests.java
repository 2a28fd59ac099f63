package io.delayqueue.queue;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class EndSettingsTests {

	@ParameterizedTest
	@CsvSource({ "200,10,200", "1,1024,1", "1000,3,1000", "3001,3,1001", "100000,1,100000", "100000,16,6250",
			"100000,1024,1000", "100000000,1024,97657", "0,4,0" })
	void aPartitionKeepsItsShareButNeverLessThanAThousand(int atMost, int partitions, int ofPartition) {
		EndSettings settings = new EndSettings(Duration.ofDays(7), atMost, null);
		assertThat(settings.historyOfPartition(partitions)).isEqualTo(ofPartition);
	}

}
