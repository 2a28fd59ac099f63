package io.delayqueue.model;

import java.util.stream.Stream;

import io.delayqueue.model.GroupScope.Setting;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Groups satisfy every property in every state of these scopes. With {@code
 * -Dmodel.depth=deep} also in wider scopes, which takes minutes and 4 GB of heap.
 */
@Tag("slow")
class GroupModelTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource("scopes")
	void everyReachableStateSatisfiesAllProperties(GroupScope scope) {
		Exploration exploration = new Exploration(new GroupModel(scope), scope).complete();
		assertThat(exploration.violations().keySet()).as(exploration::toString).isEmpty();
	}

	static Stream<GroupScope> scopes() {
		return "deep".equals(System.getProperty("model.depth")) ? Stream.concat(usual(), wider()) : usual();
	}

	private static Stream<GroupScope> usual() {
		Transition[] moves = { Transition.REPLACE, Transition.POSTPONE, Transition.RESCHEDULE };
		Transition[] ends = { Transition.CANCEL, Transition.REDRIVE, Transition.DISCARD };
		GroupScope one = GroupScope.of(2, 3).limit(1);
		GroupScope strict = one.with(Setting.STRICT);
		GroupScope quota = GroupScope.of(2, 3).quota(1).allowing(Transition.REPLACE).allowing(ends);
		GroupScope three = GroupScope.of(3, 3).with(Setting.DUE_AT_ONCE);
		return Stream.of(one.failing(1, 0).allowing(moves), one.failing(0, 1).with(Setting.DUE_AT_ONCE).allowing(ends),
				strict.failing(1, 0).with(Setting.DUE_AT_ONCE).allowing(Transition.REPLACE).allowing(ends),
				strict.failing(0, 1).allowing(Transition.REPLACE), strict.allowing(Transition.POSTPONE),
				GroupScope.of(2, 2).limit(1).with(Setting.STRICT).failing(0, 1).allowing(moves).allowing(ends),
				GroupScope.of(3, 3).limit(1).with(Setting.STRICT), three.limit(2).failing(1, 0), quota.failing(1, 0),
				quota.failing(0, 1).with(Setting.DUE_AT_ONCE), quota.failing(1, 0).with(Setting.COUNT_DEAD),
				quota.failing(1, 0).with(Setting.DROP_OLDEST),
				quota.failing(0, 1).with(Setting.DROP_OLDEST, Setting.DUE_AT_ONCE),
				three.quota(2).limit(1).failing(0, 1).with(Setting.DROP_OLDEST, Setting.STRICT));
	}

	private static Stream<GroupScope> wider() {
		Transition[] all = { Transition.REPLACE, Transition.POSTPONE, Transition.RESCHEDULE, Transition.CANCEL,
				Transition.REDRIVE, Transition.DISCARD };
		GroupScope two = GroupScope.of(2, 3).allowing(all);
		GroupScope three = GroupScope.of(3, 3);
		return Stream.of(three.limit(2).failing(0, 1).with(Setting.DUE_AT_ONCE), two.limit(1).failing(1, 1),
				two.limit(1).failing(1, 1).with(Setting.STRICT),
				two.limit(1).failing(0, 2).with(Setting.STRICT, Setting.DUE_AT_ONCE), two.quota(1).failing(1, 1),
				two.quota(1).failing(1, 1).with(Setting.DROP_OLDEST),
				two.quota(1).failing(1, 1).with(Setting.COUNT_DEAD),
				two.quota(1).failing(0, 2).with(Setting.DROP_OLDEST),
				two.quota(2).limit(1).failing(1, 1).with(Setting.STRICT, Setting.DUE_AT_ONCE),
				three.limit(2).failing(0, 1).allowing(Transition.RESCHEDULE, Transition.REDRIVE),
				three.limit(1).failing(1, 1).with(Setting.STRICT, Setting.DUE_AT_ONCE),
				three.limit(1).failing(0, 1).with(Setting.STRICT).allowing(Transition.REDRIVE, Transition.CANCEL),
				GroupScope.of(3, 4)
					.quota(2)
					.limit(1)
					.failing(1, 0)
					.with(Setting.DROP_OLDEST, Setting.STRICT)
					.allowing(all),
				GroupScope.of(3, 4)
					.quota(2)
					.limit(2)
					.failing(0, 1)
					.with(Setting.DROP_OLDEST)
					.allowing(Transition.REPLACE));
	}

	@ParameterizedTest(name = "{0}")
	@EnumSource
	void everyMutationBreaksItsProperties(GroupMutation mutation) {
		GroupScope scope = mutation.scope();
		Exploration exploration = new Exploration(new GroupModel(scope), scope).until(mutation.caughtBy());
		assertThat(exploration.violations().keySet()).as(exploration::toString).containsAll(mutation.caughtBy());
	}

}
