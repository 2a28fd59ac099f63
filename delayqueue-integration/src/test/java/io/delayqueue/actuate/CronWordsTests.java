package io.delayqueue.actuate;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.scheduling.support.CronExpression;

import static org.assertj.core.api.Assertions.assertThat;

class CronWordsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0 0 9 * * *         | every day at 09:00
			0 30 9,17 * * ?     | every day at 09:30 and 17:30
			5 0 9 * * MON-FRI   | at 09:00:05 on Monday to Friday
			0 0 0 * * 0         | at 00:00 on Sunday
			@weekly             | at 00:00 on Sunday
			0 0 0 * * 1,3,SUN   | at 00:00 on Monday, Wednesday and Sunday
			0 0 6 1,15 * *      | at 06:00 on day 1 and 15 of the month
			0 0 6 L 1-3 *       | at 06:00 on the last day of the month in January to March
			0 0 6 * JAN,7 *     | every day at 06:00 in January and July
			0 0 * * * *         | every hour
			@hourly             | every hour
			0 20 * * * *        | every hour, first at 00:20
			0 0 */6 * * *       | every 6 hours
			0 0 8-17 * * MON    | every hour from 08:00 to 17:00 on Monday
			0 * * * * *         | every minute
			0 */5 * * * *       | every 5 minutes
			0 0/15 9-17 * * *   | every 15 minutes from 09:00 to 17:45
			0 * 7 * * *         | every minute from 07:00 to 07:59
			* * * * * *         | every second
			*/10 * * * * *      | every 10 seconds
			""")
	void commonFormsHaveWords(String cron, String words) {
		assertThat(CronExpression.isValidExpression(cron)).isTrue();
		assertThat(CronWords.of(cron)).isEqualTo(words);
	}

	/** Steps that do not divide the hour or the day have unequal distances. */
	@ParameterizedTest
	@ValueSource(strings = { "0 */7 * * * *", "0 0 */5 * * *", "0 0 9 * * MON#1", "0 0 9 15W * *", "0 0 9 1 * MON",
			"0 5-9 9 * * *", "0 */5 9,10 * * *", "30 */5 * * * *", "0 0 9 * * FRIL", "0 0 1-5/2 * * *",
			"0 0 9 L-2 * *" })
	void otherFormsHaveNone(String cron) {
		assertThat(CronExpression.isValidExpression(cron)).isTrue();
		assertThat(CronWords.of(cron)).isNull();
	}

}
