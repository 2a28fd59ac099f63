package io.delayqueue.example.guides;

import java.time.Clock;

import io.delayqueue.test.DelayQueueTime;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

@TestConfiguration(proxyBeanMethods = false)
class TestTime {

	@Bean
	@Primary
	Clock testClock(DelayQueueTime time) {
		return time.clock();
	}

}
