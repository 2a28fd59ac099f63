package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.MessageState;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A partition whose messages a test lists page by page.
 */
abstract class PagedPartition {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	final TestStore store = this.partition.store();

	Page page(MessageState state, Pages.Position after, int limit) {
		return this.store.pages().list(this.store.partition(), state, after, limit);
	}

	List<Listed> follow(MessageState state, int limit) {
		return follow(state, Pages.Position.BEGIN, limit);
	}

	List<Listed> follow(MessageState state, Pages.Position from, int limit) {
		List<Listed> met = new ArrayList<>();
		Pages.Position after = from;
		while (after != null) {
			Page page = page(state, after, limit);
			assertThat(page.messages()).hasSizeLessThanOrEqualTo(limit);
			met.addAll(page.messages());
			after = page.next();
			assertThat(met).hasSizeLessThan(10_000);
		}
		return met;
	}

}
