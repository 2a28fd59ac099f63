package io.delayqueue.actuate;

import io.delayqueue.operate.RepairService.Repaired;
import io.delayqueue.store.Repairs.Damage;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What a repair has put right.
 *
 * @param queue the queue's name
 * @param noPlace messages that were nowhere but in the records; they are scheduled for
 * their due times
 * @param twoPlaces messages that were in two places; they are in one
 * @param early messages that were scheduled for before their due times
 * @param leftOver ids of which something was left that means nothing; it is gone
 * @param lost ids whose records are gone: these cannot be put right, the log names them
 * @param next what to ask for the rest with, as parameter {@code from}; {@code null} if
 * every id has been looked at
 */
public record RepairDescriptor(String queue, int noPlace, int twoPlaces, int early, int leftOver, int lost,
		@Nullable String next) implements OperationResponseBody {

	static RepairDescriptor of(String queue, Repaired repaired) {
		return new RepairDescriptor(queue, repaired.count(Damage.NO_PLACE), repaired.count(Damage.TWO_PLACES),
				repaired.count(Damage.EARLY), repaired.count(Damage.LEFT_OVER), repaired.count(Damage.LOST),
				repaired.next());
	}

	int repaired() {
		return this.noPlace + this.twoPlaces + this.early + this.leftOver;
	}

}
