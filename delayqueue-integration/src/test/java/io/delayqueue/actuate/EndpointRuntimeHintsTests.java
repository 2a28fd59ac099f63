package io.delayqueue.actuate;

import io.delayqueue.observe.ProcessStatistics;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointRuntimeHintsTests {

	@ParameterizedTest
	@ValueSource(classes = { QueueReports.QueuesDescriptor.class, QueueReports.QueuesDescriptor.Queue.class,
			QueueReports.QueuesDescriptor.Member.class, QueueDescriptor.class, QueueDescriptor.Partition.class,
			QueueDescriptor.Horizon.class, QueueDescriptor.Consumer.class, QueueDescriptor.Listener.class,
			QueueDescriptor.Counts.class, MessageReports.MessagesDescriptor.class,
			MessageReports.MessagesDescriptor.Message.class, MessageDescriptor.class, MessageDescriptor.Payload.class,
			MessageDescriptor.Failure.class, MessageReports.DeadLettersDescriptor.class,
			MessageReports.DeadLettersDescriptor.Letter.class, ProblemDescriptor.class,
			MessageOperations.OperatedMessageDescriptor.class, MessageOperations.OperatedDeadLettersDescriptor.class,
			QueueOperations.QueueStatusDescriptor.class, QueueOperations.PurgeDescriptor.class,
			RepairOperations.AuditDescriptor.class, RepairOperations.AuditDescriptor.Partition.class,
			RepairOperations.RepairDescriptor.class, DelayQueueDashboardEndpoint.FiguresDescriptor.class,
			ProcessStatistics.Figures.class })
	void responseTypesHaveReflectionHints(Class<?> type) {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, DelayQueueEndpoint.class,
				DelayQueueEndpointWebExtension.class, DelayQueueDashboardEndpoint.class);

		assertThat(RuntimeHintsPredicates.reflection()
			.onType(type)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(strings = { "page.html", "base.css", "main.js" })
	void dashboardFilesHaveResourceHints(String file) {
		RuntimeHints hints = new RuntimeHints();
		new DashboardPage.Files().registerHints(hints, null);

		assertThat(RuntimeHintsPredicates.resource().forResource(DashboardPage.FILES + file)).accepts(hints);
	}

}
