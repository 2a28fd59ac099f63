package io.delayqueue.test;

import java.io.IOException;

import io.delayqueue.DelayedListener;
import org.junit.jupiter.api.Test;

import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueTypeExcludeFilterTests {

	private final MetadataReaderFactory readers = new SimpleMetadataReaderFactory();

	@Test
	void classesWithListenersAreIncluded() throws IOException {
		assertThat(isExcluded(Listener.class)).isFalse();
		assertThat(isExcluded(OfSuperclass.class)).isFalse();
		assertThat(isExcluded(OfInterface.class)).isFalse();
		assertThat(isExcluded(String.class)).isTrue();
	}

	@Test
	void onlyTheNamedListenersAreIncluded() throws IOException {
		assertThat(isExcluded(OfSuperclass.class, NamedSlice.class)).isFalse();
		assertThat(isExcluded(Listener.class, NamedSlice.class)).isTrue();
		assertThat(isExcluded(OfInterface.class, NamedSlice.class)).isTrue();
		assertThat(new DelayQueueTypeExcludeFilter(NamedSlice.class))
			.isNotEqualTo(new DelayQueueTypeExcludeFilter(Slice.class));
	}

	private boolean isExcluded(Class<?> type) throws IOException {
		return isExcluded(type, Slice.class);
	}

	private boolean isExcluded(Class<?> type, Class<?> test) throws IOException {
		return new DelayQueueTypeExcludeFilter(test).match(this.readers.getMetadataReader(type.getName()),
				this.readers);
	}

	static class Listener {

		@DelayedListener(queue = "orders")
		void on(String order) {
		}

	}

	static class OfSuperclass extends Listener {

	}

	interface Listening {

		@DelayedListener(queue = "orders")
		void on(String order);

	}

	static class OfInterface implements Listening {

		@Override
		public void on(String order) {
		}

	}

	@DelayQueueTest(OfSuperclass.class)
	static class NamedSlice {

	}

	@DelayQueueTest
	static class Slice {

	}

}
