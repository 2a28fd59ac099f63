package io.delayqueue.journey;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterEdit;
import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.EditedDeadLetter;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Handled.Run;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Dead letters as an operator reads them, in a queue of three partitions. */
@SuppressWarnings("NullAway.Init")
class DeadLettersIntegrationTests {

	private TestApplication application;

	private DelayQueueOperations queue;

	private DelayQueueAdmin admin;

	private Picky listener;

	@BeforeEach
	void start() {
		this.application = new TestApplication(SharedRedis.get().uri()).with("delayqueue.defaults.partitions=3")
			.with("delayqueue.defaults.max-attempts=1")
			.with("delayqueue.defaults.never-retried=java.lang.IllegalArgumentException");
		ConfigurableApplicationContext context = this.application.start(Picky.class);
		this.queue = context.getBean(DelayQueueOperations.class);
		this.admin = context.getBean(DelayQueueAdmin.class);
		this.listener = context.getBean(Picky.class);
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	static class Picky {

		final Handled handled = new Handled();

		volatile boolean mended;

		volatile @Nullable String by;

		@DelayedListener(queue = "picky")
		void handle(DelayedMessage<String> message) {
			this.by = message.headers().get("by");
			this.handled.add(message);
			if (!this.mended) {
				throw message.payload().equals("bad") ? new IllegalArgumentException("bad")
						: new IllegalStateException("broken");
			}
		}

	}

	@Test
	void deadLettersAreListedPageByPageWithTheirReasons() {
		bury(25, "broken");

		List<DeadLetter> all = new ArrayList<>();
		String from = null;
		int pages = 0;
		do {
			DeadLetterPage page = this.admin.deadLetters("picky", from, 10);
			all.addAll(page.deadLetters());
			from = page.next();
			pages++;
		}
		while (from != null);

		assertThat(pages).isEqualTo(3);
		assertThat(all).extracting(DeadLetter::id).hasSize(25).doesNotHaveDuplicates();
		assertThat(all).allSatisfy((letter) -> {
			assertThat(letter.reason()).isEqualTo("HANDLER_FAILED");
			assertThat(letter.exception()).isEqualTo(IllegalStateException.class.getName());
			assertThat(letter.message()).isEqualTo("broken");
			assertThat(letter.attempts()).isEqualTo(1);
		});
		assertThat(this.admin.deadLetter(MessageKey.of("picky", "broken-3")))
			.contains(all.stream().filter((letter) -> letter.id().equals("broken-3")).findFirst().orElseThrow());
		assertThat(this.admin.deadLetter(MessageKey.of("picky", "unknown"))).isEmpty();
	}

	@Test
	void anEditedMessageIsHandledWithItsNewContentAndAllItsAttempts() {
		bury(1, "broken");
		MessageKey key = MessageKey.of("picky", "broken-0");
		DeadLetterEdit edit = DeadLetterEdit.none()
			.payload("\"mended\"".getBytes(StandardCharsets.UTF_8))
			.header("by", "ann");
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> this.admin.redrive(key, edit.payload(new byte[] { '{' })));
		this.listener.mended = true;

		EditedDeadLetter edited = this.admin.redrive(key, edit).orElseThrow();

		assertThat(edited.key()).isEqualTo(key);
		assertThat(edited.digestAfter()).isNotEqualTo(edited.digestBefore());
		assertThat(this.listener.handled.await(2).get(1)).extracting(Run::payload, Run::attempt)
			.containsExactly("mended", 1);
		assertThat(this.listener.by).isEqualTo("ann");
		assertThat(this.admin.redrive(key, edit)).isEmpty();
	}

	/** The new ids belong to all three partitions. */
	@Test
	void aMessageWithANewIdIsScheduledBeforeItsDeadLetterIsRemoved() {
		bury(6, "broken");
		this.admin.pause("picky");
		for (int i = 0; i < 6; i++) {
			MessageKey key = MessageKey.of("picky", "broken-" + i);
			DeadLetterEdit edit = DeadLetterEdit.none().id("renamed-" + i);
			assertThat(this.admin.redrive(key, edit).orElseThrow().key())
				.isEqualTo(MessageKey.of("picky", "renamed-" + i));
			assertThat(this.queue.find(key)).isEmpty();
			assertThat(this.admin.redrive(key, edit)).isEmpty();
		}
		assertThat(this.queue.find("picky", "renamed-3").orElseThrow().attempts()).isZero();
	}

	@Test
	void redrivenMessageStartsWithFreshCounters() {
		bury(1, "broken");
		this.listener.mended = true;

		assertThat(this.admin.redrive(MessageKey.of("picky", "broken-0"))).isTrue();

		assertThat(this.listener.handled.await(2).get(1).attempt()).isEqualTo(1);
		Awaitility.await().until(() -> this.queue.find("picky", "broken-0").isEmpty());
		assertThat(this.admin.redrive(MessageKey.of("picky", "broken-0"))).isFalse();
	}

	@Test
	void redriveIsFilteredByReasonLimitedAndSpreadOverTime() {
		bury(10, "broken");
		bury(10, "bad");
		this.listener.mended = true;

		DeadLetterSelection selection = DeadLetterSelection.of("picky")
			.because("NEVER_RETRIED")
			.spreadOver(Duration.ofMillis(500));
		assertThat(this.admin.redrive(selection.atMost(4))).isEqualTo(4);
		assertThat(this.admin.redrive(selection)).isEqualTo(6);

		this.listener.handled.await(30);
		assertThat(this.admin.deadLetters("picky", null, 100).deadLetters()).hasSize(10)
			.allSatisfy((letter) -> assertThat(letter.reason()).isEqualTo("HANDLER_FAILED"));
	}

	@Test
	void discardedDeadLettersAreRemoved() {
		bury(5, "broken");

		assertThat(this.admin.discard(MessageKey.of("picky", "broken-0"))).isTrue();
		assertThat(this.admin.discard(MessageKey.of("picky", "broken-0"))).isFalse();
		assertThat(this.admin.discard(DeadLetterSelection.of("picky"))).isEqualTo(4);

		assertThat(this.admin.deadLetters("picky", null, 10).deadLetters()).isEmpty();
		assertThat(this.queue.schedule(request("broken-0", "again").delay(Duration.ofDays(1))).outcome())
			.isEqualTo(Outcome.CREATED);
	}

	@Test
	void pagesSkipNothingWhileTheListShrinksAndGrows() {
		bury(25, "broken");
		List<String> met = new ArrayList<>();
		String from = null;
		do {
			DeadLetterPage page = this.admin.deadLetters("picky", from, 4);
			page.deadLetters().forEach((letter) -> met.add(letter.id()));
			page.deadLetters().forEach((letter) -> this.admin.discard(MessageKey.of("picky", letter.id())));
			from = page.next();
		}
		while (from != null);
		assertThat(met).hasSize(25).doesNotHaveDuplicates();
	}

	@Test
	void unknownCursorIsRejected() {
		for (String from : List.of("", "x", "0-0", "AAAAAAAAAAAA")) {
			assertThatExceptionOfType(InvalidMessageException.class)
				.isThrownBy(() -> this.admin.deadLetters("picky", from, 10));
		}
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> this.admin.deadLetters("picky", null, 0));
	}

	private void bury(int count, String payload) {
		int before = this.admin.deadLetters("picky", null, 1000).deadLetters().size();
		for (int i = 0; i < count; i++) {
			this.queue.schedule(request(payload + "-" + i, payload));
		}
		Awaitility.await()
			.until(() -> this.admin.deadLetters("picky", null, 1000).deadLetters().size() == before + count);
	}

	private static ScheduleRequest request(String id, String payload) {
		return ScheduleRequest.to("picky").payload(payload).id(id).delay(Duration.ZERO);
	}

}
