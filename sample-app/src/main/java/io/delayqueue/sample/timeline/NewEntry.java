package io.delayqueue.sample.timeline;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A message as its caller sends it, unchecked.
 *
 * @param user whose timeline it belongs to
 * @param msgId its id, a number or a text
 */
record NewEntry(@Nullable String user, @Nullable JsonNode msgId) {

	Arrival checked() {
		return new Arrival(Fields.name("user", this.user), MsgIds.checked("msgId", this.msgId));
	}

}
