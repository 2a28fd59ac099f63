package io.delayqueue.outbox.autoconfigure;

import java.time.Duration;

import io.delayqueue.outbox.jdbc.OutboxSettings;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Properties of the outbox.
 *
 * @param initializeSchema When to create the table of the outbox at startup.
 * @param tableName Name of the table of the outbox, with or without a schema.
 * @param window For how long Redis still recognises a message that has ended, if a
 * process sends the outbox row of this message again; rounded up to the next power of two
 * in minutes.
 * @param batchSize Maximum number of due rows that a process claims and sends at once. A
 * process adds the next rows of up to 10 messages, at most 50 rows of each message.
 * @param pollInterval Interval at which a process looks for rows that no process has sent
 * right after their commit.
 * @param claimTimeout How long a process may take to send the rows that it has claimed;
 * afterwards another process sends the remaining rows.
 * @param maxBackOff Longest wait between two attempts to send a row.
 */
@ConfigurationProperties(prefix = "delayqueue.outbox", ignoreUnknownFields = false)
public record DelayQueueOutboxProperties(@DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
		@DefaultValue("delayqueue_outbox") String tableName, @DefaultValue("1h") Duration window,
		@DefaultValue("500") int batchSize, @DefaultValue("1s") Duration pollInterval,
		@DefaultValue("30s") Duration claimTimeout,
		@DefaultValue("30s") Duration maxBackOff) implements AopInfrastructureBean {

	/**
	 * Returns the settings of the outbox.
	 * @throws IllegalArgumentException if a property is out of its bounds
	 */
	OutboxSettings settings() {
		return new OutboxSettings(this.tableName, this.window, this.batchSize, this.pollInterval, this.claimTimeout,
				this.maxBackOff);
	}

}
