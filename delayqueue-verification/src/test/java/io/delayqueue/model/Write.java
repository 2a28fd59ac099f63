package io.delayqueue.model;

/**
 * One write of a script.
 *
 * @param command the command
 * @param value its argument, 0 for a removal
 */
record Write(Command command, int value) {

	State on(State state) {
		return this.command.run(state, this.value);
	}

}
