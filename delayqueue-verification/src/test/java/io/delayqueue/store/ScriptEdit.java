package io.delayqueue.store;

/**
 * A change of one point of a script or of one of its parts.
 *
 * @param file the file without its suffix
 * @param from the text to change, which the file contains once
 * @param to the new text
 */
record ScriptEdit(String file, String from, String to) {

	static ScriptEdit without(String file, String text) {
		return new ScriptEdit(file, text, "");
	}

	/** Moves a statement in front of another one. */
	static ScriptEdit moved(String file, String text, String before) {
		String script = ScriptText.ofPart(file + ".lua").text();
		int at = script.indexOf(text);
		int target = script.indexOf(before);
		if (at < 0 || target < 0) {
			throw new IllegalStateException(file + " does not contain: " + ((at < 0) ? text : before));
		}
		if (at > target) {
			String between = script.substring(target, at);
			return new ScriptEdit(file, between + text, text + between);
		}
		String between = script.substring(at + text.length(), target);
		return new ScriptEdit(file, text + between, between + text);
	}

	String in(String script) {
		int at = script.indexOf(this.from);
		if (at < 0 || script.indexOf(this.from, at + 1) >= 0) {
			throw new IllegalStateException(this.file + " must contain once: " + this.from);
		}
		return script.replace(this.from, this.to);
	}

}
