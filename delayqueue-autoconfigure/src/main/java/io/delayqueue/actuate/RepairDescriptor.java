package io.delayqueue.actuate;

import io.delayqueue.operate.RepairService.Repaired;
import io.delayqueue.store.Repairs.Damage;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of a repair.
 *
 * @param queue the queue's name
 * @param noPlace messages that had a record and were in no state; they are scheduled for
 * their due times
 * @param twoPlaces messages that were in two states; they are in one
 * @param early messages that were scheduled before their due times
 * @param leftOver ids with leftover data without meaning; it is removed
 * @param lost ids without a record: these cannot be repaired, and the log contains them
 * @param next the parameter {@code from} that continues the repair, {@code null} if every
 * id was checked
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
