package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules for every script: its header and its body agree with what Java passes.
 */
class ScriptContractTests {

	/** The command and its key; the key of XREADGROUP follows STREAMS. */
	private static final Pattern CALL = Pattern
		.compile("redis\\.p?call\\('(\\w+)'(?:, 'GROUP'[^)]+ 'STREAMS'|, '[A-Z]+')?(?:, (?:\\w+\\.)?(\\w+))?");

	/** The check of the types of keys. */
	private static final Pattern REQUIRED = Pattern.compile("require_types\\(('[^)]+)\\)");

	private static final Pattern TYPE_AND_KEY = Pattern.compile("'(\\w+)', (?:keys\\.)?(\\w+)");

	/** A table of keys for functions of parts. */
	private static final Pattern KEYS = Pattern.compile("local keys = \\{([^}]+)}");

	/** One of two declared keys. */
	private static final Pattern CHOICE = Pattern.compile("local (source) = of == '\\w+' and (\\w+) or (\\w+)\\n");

	private static final Pattern COMMAND_WORD = Pattern.compile("'([A-Z]+)'");

	/**
	 * Commands and options whose cost grows with the queue, that lose pending entries, or
	 * that access keys of other partitions.
	 */
	private static final List<String> FORBIDDEN = List.of("XTRIM", "KEYS", "SCAN", "HGETALL", "HKEYS", "HVALS",
			"SMEMBERS", "FLUSHALL", "FLUSHDB", "NOACK", "DELCONSUMER", "DESTROY", "XAUTOCLAIM", "DEL", "UNLINK", "EVAL",
			"SELECT", "PUBLISH");

	@ParameterizedTest
	@EnumSource
	void theScriptIsTheFileWithItsParts(StoreScript script) {
		assertThat(script.script().getScriptAsString()).isEqualTo(ScriptText.of(script).text());
	}

	@ParameterizedTest
	@EnumSource
	void theShebangIsTheFirstLineAndOnlyNewDataIsRefusedByAFullRedis(StoreScript script) {
		assertThat(ScriptText.of(script).text()).startsWith("#!lua");
		String shebang = ScriptText.of(script).shebang();
		switch (script) {
			case SCHEDULE, SCHEDULE_NEW, PUT_RECURRING, ADVANCE_RECURRING, REGISTER, ADD_TREND ->
				assertThat(shebang).isEqualTo("#!lua");
			case FIND, AUDIT, FIND_MISPLACED, REMAINING, SNAPSHOT, PAGE, READY_PAGE, GROUP_PAGE, CONSUMERS, LIST_HOLDS,
					HISTORY_PAGE, RIGHTS, FIND_RECURRING, RECURRING_PAGE, FIND_TREND ->
				assertThat(shebang).isEqualTo("#!lua flags=no-writes");
			case PEEK_PARTITIONS, FIND_EPOCHS ->
				assertThat(shebang).isEqualTo("#!lua flags=allow-oom,allow-cross-slot-keys");
			default -> assertThat(shebang).isEqualTo("#!lua flags=allow-oom");
		}
	}

	@Test
	void aScriptForManyPartitionsTakesTheKeysOfEachInOneOrder() {
		String keys = String.join(", ", StoreScript.PEEK_PARTITIONS.keys().stream().map(Key::suffix).toList());
		assertThat(ScriptText.of(StoreScript.PEEK_PARTITIONS).body()).contains("local function peek(" + keys + ")",
				"peek(" + keys + ")", "for i = 1, #ARGV, 5 do", "peek(unpack(ARGV, i, i + 4))");
	}

	@Test
	void aScriptForManyPartitionsTakesTheOneKeyOfEach() {
		assertThat(StoreScript.FIND_EPOCHS.keys()).containsExactly(Key.CONTROL);
		assertThat(ScriptText.of(StoreScript.FIND_EPOCHS).body()).contains("local function find(control)",
				"find(control)", "for i = 1, #ARGV do", "find(ARGV[i])");
	}

	@ParameterizedTest
	@EnumSource
	void theScriptNamesItsKeysOnceAndInOnePlace(StoreScript script) {
		assertThat(script.keys()).isNotEmpty().doesNotHaveDuplicates();
		assertThat(ScriptText.of(script).body().replace("'HKEYS'", "").split("KEYS", -1)).hasSize(2);
	}

	@ParameterizedTest
	@EnumSource
	void functionsGetKeysUnderTheirNames(StoreScript script) {
		List<String> declared = script.keys().stream().map(Key::suffix).toList();
		KEYS.matcher(ScriptText.of(script).body())
			.results()
			.flatMap((keys) -> Arrays.stream(keys.group(1).split(",\\s*")))
			.forEach((key) -> assertThat(declared).as(key).contains(key.replaceFirst("^(\\w+) = \\1$", "$1")));
	}

	@ParameterizedTest
	@EnumSource
	void everyCheckedTypeIsThatOfTheKey(StoreScript script) {
		REQUIRED.matcher(ScriptText.of(script).body())
			.results()
			.flatMap((check) -> TYPE_AND_KEY.matcher(check.group(1)).results())
			.forEach(
					(check) -> assertThat(Key.valueOf(check.group(2).toUpperCase(Locale.ROOT)).type()).as(check.group())
						.isEqualTo(check.group(1)));
	}

	@ParameterizedTest
	@EnumSource
	void everyCommandIsAboutADeclaredKey(StoreScript script) {
		List<String> keys = script.keys().stream().map(Key::suffix).toList();
		List<String> names = new ArrayList<>(keys);
		// Of require_types
		names.add("key");
		Matcher choice = CHOICE.matcher(ScriptText.of(script).body());
		while (choice.find()) {
			assertThat(keys).as(choice.group()).contains(choice.group(2), choice.group(3));
			names.add(choice.group(1));
		}
		Matcher call = CALL.matcher(ScriptText.of(script).body());
		while (call.find()) {
			if (!List.of("TIME", "PUBLISH").contains(call.group(1))) {
				assertThat(names).as(call.group()).contains(call.group(2));
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void noUnboundedAndNoLosingCommandIsUsed(StoreScript script) {
		String body = ScriptText.of(script).body();
		assertThat(body).doesNotContain("cjson", "cmsgpack", "loadstring", "while ", "repeat", "goto", "math.random",
				"os.");
		Matcher word = COMMAND_WORD.matcher(body);
		while (word.find()) {
			// The only exceptions: two scripts check pending entries first, two check
			// the number of records first, and one only publishes
			boolean allowed = switch (script) {
				case REMOVE_CONSUMERS -> word.group(1).equals("DELCONSUMER");
				case FIND_MISPLACED -> word.group(1).equals("HKEYS");
				case ACKNOWLEDGE -> word.group(1).equals("XTRIM");
				case END_PARTITION -> word.group(1).equals("DEL");
				case SEND_HINT -> word.group(1).equals("PUBLISH");
				default -> false;
			};
			assertThat(allowed || !FORBIDDEN.contains(word.group(1))).as(word.group(1)).isTrue();
		}
	}

	@Test
	void theStreamIsTrimmedOnlyUpToAPendingEntry() {
		assertThat(ScriptText.of(StoreScript.ACKNOWLEDGE).body()).containsOnlyOnce("XTRIM")
			.contains("redis.call('XTRIM', ready, 'MINID', '=', oldest[#oldest])");
	}

	@ParameterizedTest
	@EnumSource
	void onlyScriptsThatMustReadARecordDo(StoreScript script) {
		boolean reads = ScriptText.of(script).body().matches("(?s).*'(HM?GET|HSCAN|HVALS)', (keys\\.)?messages.*");
		assertThat(reads).isEqualTo(List.of(StoreScript.SCHEDULE, StoreScript.SCHEDULE_NEW, StoreScript.SWEEP,
				StoreScript.READ, StoreScript.DISCARD, StoreScript.REDRIVE, StoreScript.CANCEL, StoreScript.PURGE,
				StoreScript.RESCHEDULE, StoreScript.FIND, StoreScript.FIND_MISPLACED, StoreScript.REPAIR,
				StoreScript.CARRY_OUT, StoreScript.CARRY_IN, StoreScript.PUT_RECURRING, StoreScript.CHANGE_RECURRING)
			.contains(script));
	}

	/**
	 * Required so that two versions of the library with different layouts can run side by
	 * side.
	 */
	@ParameterizedTest
	@EnumSource
	void everyScriptThatWritesOrDecidesWritesChecksTheLayoutFirst(StoreScript script) {
		boolean needsNoPartition = List
			.of(StoreScript.FIND, StoreScript.PAGE, StoreScript.READY_PAGE, StoreScript.GROUP_PAGE,
					StoreScript.CONSUMERS, StoreScript.SNAPSHOT, StoreScript.PEEK_PARTITIONS, StoreScript.RIGHTS,
					StoreScript.REFRESH_MEMBER, StoreScript.CHANGE_EPOCHS, StoreScript.REGISTER,
					StoreScript.FIND_EPOCHS, StoreScript.GRANT, StoreScript.SEND_HINT, StoreScript.LIST_HOLDS,
					StoreScript.HISTORY_PAGE, StoreScript.RECURRING_PAGE, StoreScript.ADD_TREND, StoreScript.FIND_TREND)
			.contains(script);
		assertThat(script.checksLayout()).isNotEqualTo(needsNoPartition);
		if (!needsNoPartition) {
			Matcher call = CALL.matcher(ScriptText.of(script).body());
			assertThat(call.find()).isTrue();
			assertThat(call.group()).isEqualTo("redis.call('HMGET', control");
			assertThat(ScriptText.of(script).body()).containsPattern(
					"\\nlocal foreign.* =\\s+read_control\\(control.*\\)\\nif foreign then\\n  return foreign\\nend\\n");
		}
	}

	@Test
	void javaAndScriptsHaveTheSameLayout() {
		assertThat(ScriptText.ofPart("part/layout.lua").text()).contains("stored[1] ~= '" + Layouts.KNOWN + "'");
		assertThat(ScriptText.of(StoreScript.SCHEDULE).text())
			.contains("'layout', laid_out or '" + Layouts.KNOWN + "'");
	}

	@ParameterizedTest
	@EnumSource
	void everyNameIsDeclaredAboveWhereItIsUsed(StoreScript script) {
		assertThat(ScriptText.of(script).undeclared()).isEmpty();
	}

	/**
	 * A call makes each function of the script that it reaches. In a sweep, the functions
	 * for groups would cost about as much as the commands for a message without a group.
	 */
	@ParameterizedTest
	@EnumSource(names = { "SWEEP", "ACKNOWLEDGE" })
	void aCallForMessagesWithoutGroupsReachesNoFunctionForGroups(StoreScript script) {
		String body = ScriptText.of(script).body();
		String reached = body.split("if redis\\.call\\('EXISTS', [^)]*grouped", 2)[0];
		assertThat(reached).isNotEqualTo(body)
			.doesNotContain("function groups_of", "function unpark_each", "function slots_of", "function take_token");
	}

	/**
	 * The longest scripts: one has all duplicate policies and quotas of groups, the other
	 * one has limits, order and rates of groups.
	 */

}
