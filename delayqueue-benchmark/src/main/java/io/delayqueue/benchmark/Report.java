package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of a workload as a table, with one line for each measured value and one
 * column for each contender.
 */
final class Report {

	private static final JsonMapper JSON = new JsonMapper();

	/** The port in the description of a server, which differs from run to run. */
	private static final String PORT = ":\\d+";

	private final String workload;

	private final String server;

	private final Origin origin;

	private final Map<String, Map<Contender, List<Double>>> lines = new LinkedHashMap<>();

	Report(String workload, String server, Origin origin) {
		this.workload = workload;
		this.server = server;
		this.origin = origin;
	}

	/**
	 * Reads the results of one commit from a file to which {@link #write(Path)} has
	 * appended several runs. In these reports, the median of each run counts as one
	 * round.
	 * @return a report for each workload
	 * @throws BenchmarkException if the file does not exist, or if the runs of a workload
	 * have different servers, commits, machines, scales, or contenders
	 */
	static List<Report> read(Path file) throws IOException {
		if (Files.notExists(file)) {
			throw new BenchmarkException("No file " + file.toAbsolutePath());
		}
		Map<String, Report> reports = new LinkedHashMap<>();
		Map<String, Map<Contender, List<Instant>>> runs = new LinkedHashMap<>();
		for (String written : Files.readAllLines(file)) {
			JsonNode fields = JSON.readTree(written);
			Report read = new Report(fields.get("workload").asString(), fields.get("server").asString(),
					new Origin(fields.get("commit").asString(), fields.get("machine").asString(),
							fields.get("scale").asDouble(), Instant.parse(fields.get("began").asString())));
			Report report = reports.computeIfAbsent(read.workload, (absent) -> read);
			if (!report.conditions().equals(read.conditions())) {
				throw new BenchmarkException("A summary needs comparable runs, but in " + file + " " + read.workload
						+ " was measured with " + report.conditions() + ", and with " + read.conditions());
			}
			Contender contender = Contender.named(fields.get("contender").asString())
				.stream()
				.findFirst()
				.orElseThrow(() -> new BenchmarkException("Unknown contender in " + file + ": " + written));
			Measured measured = new Measured(fields.get("line").asString(), fields.get("median").asDouble());
			report.add(contender, List.of(measured));
			runs.computeIfAbsent(read.workload + ", " + measured.line(), (line) -> new EnumMap<>(Contender.class))
				.computeIfAbsent(contender, (any) -> new ArrayList<>())
				.add(read.origin.began());
		}
		checkContenders(file, runs);
		return List.copyOf(reports.values());
	}

	/** Returns what runs must have in common, so that their results are comparable. */
	private String conditions() {
		return this.server.replaceFirst(PORT, "") + ", " + this.origin.describe();
	}

	private static void checkContenders(Path file, Map<String, Map<Contender, List<Instant>>> runs) {
		runs.forEach((line, of) -> {
			if (Set.copyOf(of.values()).size() > 1) {
				throw new BenchmarkException("A summary needs all contenders in each run, but " + file
						+ " has these runs of " + line + ": " + of);
			}
		});
	}

	void add(Contender contender, List<Measured> measured) {
		for (Measured one : measured) {
			this.lines.computeIfAbsent(one.line(), (line) -> new EnumMap<>(Contender.class))
				.computeIfAbsent(contender, (any) -> new ArrayList<>())
				.add(one.value());
		}
	}

	/** Appends one line of JSON for each measured value and each contender to a file. */
	void write(Path file) throws IOException {
		List<String> written = new ArrayList<>();
		this.lines.forEach((line, values) -> values.forEach((contender, of) -> {
			Map<String, Object> fields = new LinkedHashMap<>();
			fields.put("workload", this.workload);
			fields.put("line", line);
			fields.put("contender", contender.toString());
			fields.put("median", median(of));
			fields.put("rounds", of);
			fields.put("server", this.server);
			fields.put("commit", this.origin.commit());
			fields.put("machine", this.origin.machine());
			fields.put("scale", this.origin.scale());
			fields.put("began", this.origin.began().toString());
			written.add(JSON.writeValueAsString(fields));
		}));
		Files.createDirectories(file.toAbsolutePath().getParent());
		Files.write(file, written, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

	/**
	 * Returns a text with the server, the commit, the scale, the machine, and a table
	 * with medians, minimums and maximums of the values, and of the ratios of the
	 * starter's value to the other value of the same round. The table has a column for
	 * each measured contender; if several have the same one, it shows the best of them.
	 */
	@Override
	public String toString() {
		List<String> columns = Arrays.stream(Contender.values())
			.filter((contender) -> this.lines.values().stream().anyMatch((values) -> values.containsKey(contender)))
			.map(Contender::column)
			.distinct()
			.toList();
		List<String> rows = new ArrayList<>();
		rows.add(this.server);
		rows.add(this.origin.describe());
		rows.add("");
		rows.add("| " + this.workload + " | " + String.join(" | ", columns) + " |");
		rows.add("|---" + "|---".repeat(columns.size()) + "|");
		this.lines.forEach((line, values) -> rows.add("| " + line + " | "
				+ String.join(" | ", columns.stream().map((column) -> cell(line, values, column)).toList()) + " |"));
		return String.join(System.lineSeparator(), rows);
	}

	private static String cell(String line, Map<Contender, List<Double>> values, String column) {
		Comparator<Map.Entry<Contender, List<Double>>> byMedian = Comparator
			.comparingDouble((measured) -> median(measured.getValue()));
		List<Double> starter = values.get(Contender.STARTER);
		return values.entrySet()
			.stream()
			.filter((measured) -> measured.getKey().column().equals(column))
			.max(Measured.isRate(line) ? byMedian : byMedian.reversed())
			.map((best) -> cell(best.getKey(), best.getValue(), starter))
			.orElse("");
	}

	private static String cell(Contender contender, List<Double> own, @Nullable List<Double> starter) {
		String cell = text(own);
		if (!contender.toString().equals(contender.column())) {
			cell += " by " + contender;
		}
		if (contender == Contender.STARTER || starter == null) {
			return cell;
		}
		return cell + ", starter x "
				+ text(IntStream.range(0, Math.min(own.size(), starter.size()))
					.mapToObj((round) -> starter.get(round) / own.get(round))
					.toList());
	}

	private static String text(List<Double> values) {
		return "%s (%s to %s)".formatted(text(median(values)), text(Collections.min(values)),
				text(Collections.max(values)));
	}

	private static String text(double value) {
		return (value >= 1000) ? "%,.0f".formatted(value) : "%.2f".formatted(value);
	}

	private static double median(List<Double> values) {
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		int half = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
	}

}
