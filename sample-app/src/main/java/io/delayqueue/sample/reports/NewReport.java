package io.delayqueue.sample.reports;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A report as the request contains it, before its validation.
 *
 * @param game the game
 * @param behaviour the player's behaviour
 */
record NewReport(@Nullable String game, @Nullable String behaviour) {

	Report checked() {
		return new Report(Fields.name("game", this.game), Fields.text("behaviour", this.behaviour));
	}

}
