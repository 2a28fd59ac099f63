package io.delayqueue.sample.timeline;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The request for a new entry of a timeline, not validated.
 *
 * @param user the user
 * @param msgId the id of the entry, a number or a text
 */
record NewEntry(@Nullable String user, @Nullable JsonNode msgId) {

	Arrival checked() {
		return new Arrival(Fields.name("user", this.user), MsgIds.checked("msgId", this.msgId));
	}

}
