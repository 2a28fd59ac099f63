package io.delayqueue.actuate;

import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Says a cron expression in words. Knows the common forms only: for any other expression
 * there are no words, so words are never wrong.
 */
final class CronWords {

	private static final Map<String, String> MACROS = Map.of("@yearly", "0 0 0 1 1 *", "@annually", "0 0 0 1 1 *",
			"@monthly", "0 0 0 1 * *", "@weekly", "0 0 0 * * 0", "@daily", "0 0 0 * * *", "@midnight", "0 0 0 * * *",
			"@hourly", "0 0 * * * *");

	private static final Pattern NUMBER = Pattern.compile("\\d{1,2}");

	private static final Pattern NUMBERS = Pattern.compile("\\d{1,2}(,\\d{1,2}){0,5}");

	private static final Pattern STEP = Pattern.compile("(?:\\*|0)/(\\d{1,2})");

	private static final Pattern RANGE = Pattern.compile("(\\d{1,2})-(\\d{1,2})");

	private static final String ANY = "*";

	private CronWords() {
	}

	/** Returns the words, {@code null} if the expression has no common form. */
	static @Nullable String of(String cron) {
		String[] fields = MACROS.getOrDefault(cron.strip().toLowerCase(Locale.ROOT), cron)
			.strip()
			.toLowerCase(Locale.ROOT)
			.replace('?', '*')
			.split("\\s+", -1);
		if (fields.length != 6) {
			return null;
		}
		String time = time(fields[0], fields[1], fields[2]);
		String days = days(fields[3], fields[5]);
		String months = fields[4].equals(ANY) ? "" : named(fields[4], Month.values(), CronWords::month);
		if (time == null || days == null || months == null) {
			return null;
		}
		String daily = (days.isEmpty() && time.startsWith("at ")) ? "every day " + time : time;
		return daily + days + (months.isEmpty() ? "" : " in " + months);
	}

	private static @Nullable String time(String second, String minute, String hour) {
		if (!NUMBER.matcher(second).matches()) {
			int every = step(second, 60);
			return (every > 0 && minute.equals(ANY) && hour.equals(ANY)) ? every(every, "second") : null;
		}
		if (NUMBER.matcher(minute).matches()) {
			String clock = ":" + digits(minute) + (Integer.parseInt(second) == 0 ? "" : ":" + digits(second));
			return ofHours(clock, hour);
		}
		int every = step(minute, 60);
		if (Integer.parseInt(second) != 0 || every == 0) {
			return null;
		}
		return hour.equals(ANY) ? every(every, "minute")
				: between(every(every, "minute"), hour, ":00", ":" + digits(Integer.toString(60 - every)));
	}

	/** Says hours in which one minute has a time. */
	private static @Nullable String ofHours(String clock, String hour) {
		if (NUMBERS.matcher(hour).matches()) {
			List<String> times = new ArrayList<>();
			for (String one : hour.split(",", -1)) {
				times.add(digits(one) + clock);
			}
			return "at " + joined(times);
		}
		int every = step(hour, 24);
		if (every == 0) {
			return between("every hour", hour, clock, clock);
		}
		return every(every, "hour") + (clock.equals(":00") ? "" : ", first at 00" + clock);
	}

	private static @Nullable String between(String every, String hour, String begin, String end) {
		Matcher range = RANGE.matcher(NUMBER.matcher(hour).matches() ? hour + "-" + hour : hour);
		return range.matches()
				? every + " from " + digits(range.group(1)) + begin + " to " + digits(range.group(2)) + end : null;
	}

	private static @Nullable String days(String dayOfMonth, String dayOfWeek) {
		if (dayOfWeek.equals(ANY)) {
			if (dayOfMonth.equals(ANY)) {
				return "";
			}
			if (dayOfMonth.equals("l")) {
				return " on the last day of the month";
			}
			return NUMBERS.matcher(dayOfMonth).matches()
					? " on day " + joined(List.of(dayOfMonth.split(",", -1))) + " of the month" : null;
		}
		String days = dayOfMonth.equals(ANY) ? named(dayOfWeek, DayOfWeek.values(), CronWords::day) : null;
		return (days != null) ? " on " + days : null;
	}

	/**
	 * Says a list or a range of names or numbers, {@code null} if it has another form.
	 */
	private static @Nullable String named(String field, Enum<?>[] known, IntFunction<@Nullable String> name) {
		List<String> names = new ArrayList<>();
		for (String one : field.split(",", -1)) {
			String[] ends = one.split("-", -1);
			String first = name(ends[0], known, name);
			String last = name(ends[ends.length - 1], known, name);
			if (ends.length > 2 || first == null || last == null) {
				return null;
			}
			names.add((ends.length == 1) ? first : first + " to " + last);
		}
		return joined(names);
	}

	private static @Nullable String name(String text, Enum<?>[] known, IntFunction<@Nullable String> name) {
		for (int i = 0; i < known.length; i++) {
			if (known[i].name().toLowerCase(Locale.ROOT).startsWith(text) && text.length() == 3) {
				return name.apply(i + 1);
			}
		}
		return NUMBER.matcher(text).matches() ? name.apply(Integer.parseInt(text)) : null;
	}

	/** The numbers 0 and 7 are Sunday. */
	private static @Nullable String day(int number) {
		return (number <= 7) ? DayOfWeek.of((number == 0) ? 7 : number).getDisplayName(TextStyle.FULL, Locale.ENGLISH)
				: null;
	}

	private static @Nullable String month(int number) {
		return (number >= 1 && number <= 12) ? Month.of(number).getDisplayName(TextStyle.FULL, Locale.ENGLISH) : null;
	}

	/** Returns the step of a field whose steps have equal distances, otherwise 0. */
	private static int step(String field, int most) {
		Matcher step = STEP.matcher(field.equals(ANY) ? "*/1" : field);
		int every = step.matches() ? Integer.parseInt(step.group(1)) : 0;
		return (every > 0 && every < most && most % every == 0) ? every : 0;
	}

	private static String every(int number, String unit) {
		return (number == 1) ? "every " + unit : "every " + number + " " + unit + "s";
	}

	private static String digits(String number) {
		return (number.length() < 2) ? "0" + number : number;
	}

	private static String joined(List<String> all) {
		int last = all.size() - 1;
		return (last == 0) ? all.get(0) : String.join(", ", all.subList(0, last)) + " and " + all.get(last);
	}

}
