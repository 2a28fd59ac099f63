package io.delayqueue.model;

import java.util.stream.Stream;

import io.delayqueue.model.GroupScope.Setting;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Groups keep their promises in every state of these scopes. */
class GroupModelTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource("scopes")
	void whateverHappensThePromisesHold(GroupScope scope) {
		Exploration exploration = new Exploration(new GroupModel(scope), scope).complete();
		assertThat(exploration.violations().keySet()).as(exploration::toString).isEmpty();
	}

	static Stream<GroupScope> scopes() {
		return Stream.of(GroupScope.of(2, 2).limit(1), GroupScope.of(2, 2).limit(1).with(Setting.STRICT));
	}

	@ParameterizedTest(name = "{0}")
	@EnumSource
	void aFaultIsNoticed(GroupMutation mutation) {
		GroupScope scope = mutation.scope();
		Exploration exploration = new Exploration(new GroupModel(scope), scope).until(mutation.caughtBy());
		assertThat(exploration.violations().keySet()).as(exploration::toString).containsAll(mutation.caughtBy());
	}

}
