package io.delayqueue.journey;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Listeners.Order;
import io.delayqueue.journey.fixture.OneListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Members;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.ServerClock;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Members take turns while hints, the list, a connection or the clock of Redis fail. No
 * message is reclaimed: the visibility timeout is an hour.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class FleetOutageIntegrationTests {

	private static final Partition ORDERS = new Partition("orders", 0);

	private RedisServer redis;

	private TestApplication applications;

	private DelayQueueOperations producer;

	private final List<ConfigurableApplicationContext> members = new ArrayList<>();

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.defaults.visibility-timeout=1h");
		this.producer = this.applications.producer();
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 61: messages are handled while the list of members is deleted repeatedly, and the members return")
	void messagesAreHandledWhileTheListOfMembersIsDeleted() {
		start(2);

		for (int i = 1; i <= 20; i++) {
			schedule(1, Duration.ofMillis(200));
			this.redis.call("DEL", memberKey("members"), memberKey("memberships"), memberKey("consumptions"));
			awaitHandled(i);
		}

		awaitMembers(2);
	}

	@Test
	@DisplayName("row 62: a message that is due soon is handled although no hint arrives")
	void messageThatIsDueSoonIsHandledWithoutHints() {
		this.redis.call("ACL", "SETUSER", "default", "-publish");
		start(2);

		for (int i = 1; i <= 5; i++) {
			schedule(1, Duration.ofMillis(200));
			awaitHandled(i);
		}
	}

	@Test
	@DisplayName("row 63: a member that consumes only other queues takes no turn of this queue")
	void memberThatConsumesOnlyOtherQueuesTakesNoTurn() {
		start(1);
		ConfigurableApplicationContext elsewhere = this.applications.start(Elsewhere.class);
		Awaitility.await().until(() -> fleet(elsewhere).roster().members().size() == 2);
		awaitMembers(2);

		assertThat(fleet(elsewhere).order(ORDERS)).containsExactly(fleet(this.members.get(0)).member());
		assertThat(fleet(elsewhere).owned("orders")).isZero();
		for (int i = 1; i <= 10; i++) {
			schedule(1, Duration.ofMillis(200));
			awaitHandled(i);
		}
	}

	@Test
	@DisplayName("row 64: while one member cannot reach Redis, the others handle all messages; it takes turns again later")
	void othersGoOnWhileOneMemberCannotReachRedis() {
		start(2);
		try (FaultProxy proxy = FaultProxy.to(this.redis)) {
			this.applications.with("spring.data.redis.url=" + proxy.uri());
			ConfigurableApplicationContext cutOff = this.applications.start(OneListener.class);
			awaitMembers(3);

			proxy.refuse();
			proxy.cutAll();
			for (int i = 1; i <= 20; i++) {
				schedule(1, Duration.ofMillis(200));
				awaitHandled(i);
			}
			awaitMembers(2);

			proxy.pass();
			awaitMembers(3);
			Awaitility.await().until(() -> {
				schedule(1, Duration.ofMillis(1));
				return !handled(cutOff).runs().isEmpty();
			});
			cutOff.close();
		}
	}

	@Test
	@DisplayName("row 65: ten members that join at once agree on one owner, and handle each message once")
	void membersThatJoinAtOnceAgreeOnOneOwner() {
		this.applications.with("test.auto-startup=false");
		IntStream.range(0, 10).forEach((i) -> this.members.add(this.applications.start(OneListener.class)));
		schedule(200, Duration.ZERO);

		this.members.forEach((member) -> member.getBean(DelayedListenerRegistry.class).start("orders"));
		schedule(200, Duration.ofMillis(500));

		awaitHandled(400);
		awaitMembers(10);
		assertThat(this.members).filteredOn((member) -> fleet(member).isOwner(ORDERS)).hasSize(1);
		assertThat(this.members).extracting((member) -> fleet(member).order(ORDERS))
			.containsOnly(fleet(this.members.get(0)).order(ORDERS));
		assertThat(this.members.stream().flatMap((member) -> handled(member).ids().stream())).hasSize(400)
			.doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("row 66: messages are due by the new clock after the clock of Redis has jumped ahead and back")
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
			disabledReason = "The clock of a server can only be moved there")
	void messagesAreDueByTheNewClock() {
		start(2);
		schedule(1, Duration.ofMinutes(30));

		// An odd number of seconds changes who has the turn
		ServerClock.set(this.redis, Duration.ofMinutes(60).plusSeconds(1));
		awaitHandled(1);
		schedule(10, Duration.ofMillis(200));
		awaitHandled(11);

		ServerClock.set(this.redis, Duration.ZERO);
		schedule(10, Duration.ofMillis(200));
		awaitHandled(21);
		awaitMembers(2);
	}

	@Test
	@DisplayName("row 67: members that stay listed and do nothing delay no message beyond their turns")
	void membersThatStayListedAndDoNothingDelayNoMessageBeyondTheirTurns() {
		start(1);
		Members list = new Members(this.members.get(0).getBean(DelayQueueEngine.class).calls());
		ScheduledExecutorService refreshes = Executors.newSingleThreadScheduledExecutor();
		try {
			refreshes.scheduleAtFixedRate(
					() -> List.of("hangs", "hangs-too", "hangs-as-well")
						.forEach((name) -> list.refresh(name,
								new TreeMap<>(Map.of("orders", Epochs.first("orders", 1))), "")),
					0, 1, TimeUnit.SECONDS);
			awaitMembers(4);

			for (int i = 1; i <= 5; i++) {
				schedule(1, Duration.ofMillis(200));
				awaitHandled(i);
			}
		}
		finally {
			refreshes.shutdownNow();
		}
	}

	static class Elsewhere {

		@DelayedListener(queue = "elsewhere")
		void other(DelayedMessage<String> message) {
		}

	}

	private void start(int count) {
		for (int i = 0; i < count; i++) {
			this.members.add(this.applications.start(OneListener.class));
		}
		awaitMembers(count);
	}

	private void schedule(int count, Duration delay) {
		for (int i = 0; i < count; i++) {
			this.producer.schedule("orders", new Order("o", i), delay);
		}
	}

	private void awaitHandled(int count) {
		Awaitility.await()
			.until(() -> this.members.stream()
				.map(FleetOutageIntegrationTests::handled)
				.map(Handled::runs)
				.mapToInt(Collection::size)
				.sum() == count);
	}

	private void awaitMembers(int count) {
		Awaitility.await()
			.until(() -> this.members.stream().allMatch((member) -> fleet(member).roster().members().size() == count));
	}

	private String memberKey(String key) {
		return this.applications.prefix() + ":{members}:" + key;
	}

	private static Fleet fleet(ConfigurableApplicationContext member) {
		return member.getBean(DelayQueueEngine.class).fleet();
	}

	private static Handled handled(ConfigurableApplicationContext member) {
		return member.getBean(OneListener.class).handled;
	}

}
