package io.delayqueue.sample.pushes;

import java.util.UUID;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The request for a push, not validated.
 *
 * @param id the id that the caller chose
 * @param at when to deliver the push, ISO-8601 with any offset
 * @param text the text to deliver
 */
record NewPush(@Nullable String id, @Nullable String at, @Nullable String text) {

	Push checked() {
		return new Push(Fields.name("id", this.id), Fields.instant("at", this.at), Fields.text("text", this.text), null,
				UUID.randomUUID().toString());
	}

}
