package io.delayqueue.delivery;

import java.util.List;

/**
 * Makes work of what was read, at once or later. Safe for use by several threads.
 */
interface Gathering {

	/** Each delivery is work by itself, at once. */
	Gathering NONE = new Gathering() {

		@Override
		public List<? extends Work> add(List<DeliveryTask> tasks) {
			return tasks;
		}

		@Override
		public List<DeliveryTask> takeWaiting() {
			return List.of();
		}

		@Override
		public void stop() {
		}

	};

	/**
	 * Takes in what was read.
	 * @param tasks the deliveries
	 * @return what can begin now
	 */
	List<? extends Work> add(List<DeliveryTask> tasks);

	/** Takes away what waits. */
	List<DeliveryTask> takeWaiting();

	/** Nothing begins by itself any more. */
	void stop();

	/**
	 * Gets what has waited for long enough.
	 */
	@FunctionalInterface
	interface Beginning {

		/**
		 * Lets work begin.
		 * @param work the work
		 */
		void begin(List<? extends Work> work);

	}

}
