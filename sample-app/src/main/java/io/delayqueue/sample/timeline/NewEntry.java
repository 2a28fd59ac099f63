package io.delayqueue.sample.timeline;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The request for a message, not validated.
 *
 * @param user the user
 * @param msgId its id, a number or a text
 */
record NewEntry(@Nullable String user, @Nullable JsonNode msgId) {

	Arrival checked() {
		return new Arrival(Fields.name("user", this.user), MsgIds.checked("msgId", this.msgId));
	}

}
