package io.delayqueue.sample.reports;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A report as its caller sends it, unchecked.
 *
 * @param game where it happened
 * @param behaviour what happened
 */
record NewReport(@Nullable String game, @Nullable String behaviour) {

	Report checked() {
		return new Report(Fields.name("game", this.game), Fields.text("behaviour", this.behaviour));
	}

}
