package io.delayqueue.sample.pushes;

import java.util.UUID;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A push as its caller asks for it, unchecked.
 *
 * @param id the id that the caller chose
 * @param at when to deliver it, ISO-8601 with any offset
 * @param text what to deliver
 */
record NewPush(@Nullable String id, @Nullable String at, @Nullable String text) {

	Push checked() {
		return new Push(Fields.name("id", this.id), Fields.instant("at", this.at), Fields.text("text", this.text), null,
				UUID.randomUUID().toString());
	}

}
