#!/usr/bin/env python3
"""Draws the plots of docs/performance.md, docs/guarantees.md, docs/sizing.md and docs/internals/benchmark.md.

    python3 docs/benchmark/plots.py

The command reads the lines of all runs in docs/benchmark/*.jsonl, and writes the files docs/images/plot-*.svg. It needs no
package. A mark is the median of the rounds; the thin line beside it goes from the lowest to the highest.
"""
import collections
import html
import json
import math
import pathlib
import statistics

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = HERE.parent / "images"
NAMES = {"starter": "delayqueue", "redisson": "Redisson", "bullmq": "BullMQ", "raw": "plain client"}
WIDTH = 480  # as wide as text stays readable on a phone
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-weight: 600 } .small { font-size: 12px; fill: #59636e } .grid { stroke: #d1d9e0 } .spread { stroke: #1f2328 }
.starter { fill: #0969da; stroke: #0969da } .redisson { fill: #c4580b; stroke: #c4580b } .raw { fill: #8c959f; stroke: #8c959f }
.bullmq { fill: #8250df; stroke: #8250df }
.line { fill: none; stroke-width: 2 } .hollow { fill: #fff; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .small { fill: #9198a1 } .grid { stroke: #3d444d } .spread { stroke: #f0f6fc }
.starter { fill: #4493f8; stroke: #4493f8 } .redisson { fill: #e3823f; stroke: #e3823f } .raw { fill: #7d8590; stroke: #7d8590 }
.bullmq { fill: #a371f7; stroke: #a371f7 }
.line { fill: none } .hollow { fill: #0d1117 }
}"""


def lines():
    return [json.loads(text) for file in sorted(HERE.glob("*.jsonl")) for text in file.read_text().splitlines()]


def runs():
    """The values of each line: {(workload, line): {contender: [value of each round of each run]}}."""
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in lines():
        values[line["workload"], line["line"]][line["contender"]] += line["rounds"]
    return values


def memory():
    """The bytes of a waiting message: {server: [value of each run]}."""
    values = collections.defaultdict(list)
    for line in lines():
        if line["contender"] == "starter" and line["line"] == "100,000 waiting, bytes of one":
            program, version = line["server"].split()[:2]
            values[program.removesuffix("-server").capitalize() + " " + version].append(line["median"])
    return dict(sorted(values.items()))


def best(contenders, name, better):
    """The runs of a contender; of Redisson, those of the variant with the best median."""
    variants = [values for variant, values in contenders.items()
                if variant == name or name == "redisson" and variant.startswith(name)]
    return better(variants, key=statistics.median)


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


class Svg:
    def __init__(self, height, title, description):
        self.height = height
        self.parts = [f'<title>{html.escape(title)}</title>', f'<desc>{html.escape(description)}</desc>',
                      f'<style>{STYLE}</style>']

    def text(self, x, y, text, style="", anchor="start"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">{html.escape(text)}</text>')

    def line(self, x1, y1, x2, y2, style):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>')

    def rect(self, x, y, width, height, style):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{style}"/>')

    def circle(self, x, y, style):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" class="{style}"/>')

    def path(self, points, style):
        self.parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" class="{style}"/>')

    def write(self, name):
        text = "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
                          f'height="{self.height}" role="img">', *self.parts, "</svg>\n"])
        (IMAGES / f"plot-{name}.svg").write_text(text)


def rows(name, title, unit, ticks, groups, draw):
    """Groups of a row for each contender, above one axis of values."""
    height = 34 + sum(30 + 22 * len(contenders) for _, contenders in groups) + 40
    svg = Svg(height, title, f"In {unit}; the labels have the medians.")
    left, right = 96, WIDTH - 92
    bottom = height - 42

    def x(value):
        return left + (right - left) * value / ticks[-1]

    for tick in ticks:
        svg.line(x(tick), 34, x(tick), bottom, "grid")
        svg.text(x(tick), bottom + 16, f"{tick:,}", "small", "middle")
    svg.text((left + right) / 2, bottom + 34, unit, "small", "middle")
    svg.text(0, 16, title, "title")
    y = 34
    for group, contenders in groups:
        svg.text(left + 4, y + 18, group, "small")
        y += 26
        for contender, values in contenders:
            svg.text(left - 8, y + 12, NAMES.get(contender, contender), "", "end")
            draw(svg, x, y, contender, values)
            y += 22
        y += 4
    svg.write(name)


def bar(svg, x, y, contender, values):
    median = statistics.median(values)
    svg.rect(x(0), y, max(x(median) - x(0), 1), 14, contender if contender in NAMES else "starter")
    svg.line(x(min(values)), y + 7, x(max(values)), y + 7, "spread")
    svg.text(max(x(max(values)), x(median)) + 6, y + 12, number(median))


def halves(svg, x, y, contender, values):
    half, nearly_all = (statistics.median(each) for each in values)
    svg.line(x(half), y + 7, x(nearly_all), y + 7, "grid")
    for each in values:
        svg.line(x(min(each)), y + 7, x(max(each)), y + 7, "spread")
    svg.circle(x(half), y + 7, contender)
    svg.circle(x(nearly_all), y + 7, contender + " hollow")
    svg.text(x(9) + 12, y + 12, f"{half:.2g} / {nearly_all:.2g}")


def curves(name, title, panels):
    """Panels below each other, each with lines of values against a logarithmic scale."""
    height = 250
    svg = Svg(24 + height * len(panels), title, "; ".join(panel[0] for panel in panels))
    svg.text(0, 16, title, "title")
    left, right = 60, WIDTH - 116
    for at, (unit, across, ticks, lines) in enumerate(panels):
        top = 56 + at * height
        bottom = top + 160
        steps = [math.log10(step) for step in lines[0][2]]

        def x(step):
            return left + (right - left) * (math.log10(step) - steps[0]) / (steps[-1] - steps[0])

        def y(value):
            return bottom - (bottom - top) * value / ticks[-1]

        svg.text(0, top - 16, unit, "small")
        for tick in ticks:
            svg.line(left, y(tick), right, y(tick), "grid")
            svg.text(left - 8, y(tick) + 4, f"{tick:,}", "small", "end")
        for step in lines[0][2]:
            svg.text(x(step), bottom + 18, f"{step:,}", "small", "middle")
        svg.text((left + right) / 2, bottom + 38, across, "small", "middle")
        for label, contender, values in lines:
            middle = [(x(step), y(statistics.median(runs))) for step, runs in values.items()]
            for step, runs in values.items():
                svg.line(x(step), y(min(runs)), x(step), y(max(runs)), "spread")
            svg.path(middle, contender + " line")
            for point in middle:
                svg.circle(*point, contender)
            svg.text(right + 10, middle[-1][1] + 4, label)
    svg.write(name)


def recovery(values, faults):
    """The lateness of messages over time, on a logarithmic scale, with the faults that happen meanwhile."""
    svg = Svg(330, "Lateness while processes and Redis fail",
              "The longest and the median lateness of the messages that are due in each two seconds.")
    left, right, top, bottom = 56, WIDTH - 60, 66, 270
    seconds = sorted({int(line.split()[1].rstrip(",")) for workload, line in values if workload == "W18"})

    def x(second):
        return left + (right - left) * second / (seconds[-1] + 2)

    def y(millis):
        return bottom - (bottom - top) * math.log10(max(millis, 1)) / 5

    svg.text(0, 16, "Lateness while processes and Redis fail", "title")
    for tick, label in [(1, "1 ms"), (10, "10 ms"), (100, "100 ms"), (1000, "1 s"), (10_000, "10 s"), (100_000, "100 s")]:
        svg.line(left, y(tick), right, y(tick), "grid")
        svg.text(left - 8, y(tick) + 4, label, "small", "end")
    for second in range(0, seconds[-1] + 2, 20):
        svg.text(x(second), bottom + 18, f"{second}", "small", "middle")
    svg.text((left + right) / 2, bottom + 38, "seconds", "small", "middle")
    for begin, end, label in faults:
        svg.text(x(begin), 44, label, "small")
        for at in {begin, end}:
            svg.line(x(at), 50, x(at), bottom, "spread")
    for what, contender, label in [("longest ms", "redisson", "longest"), ("p50 ms", "starter", "half")]:
        points = [(x(second + 1), y(statistics.median(values["W18", f"second {second}, {what}"]["starter"])))
                  for second in seconds]
        svg.path(points, contender + " line")
        svg.text(right + 8, points[-1][1] + 4, label)
    svg.write("recovery")


def main():
    values = runs()

    def of(workload, line, contenders, better):
        return [(name, best(values[workload, line], name, better)) for name in contenders]

    three = ["starter", "redisson", "raw"]
    rows("throughput", "Throughput on two cores that the client shares with Redis", "messages a second", range(0, 120_001, 40_000), [
        ("schedule, 8 threads", of("W1", "8 threads /s", three, max)),
        ("scheduleAll", of("W1", "bulk /s", three, max)),
        ("deliver 20,000 messages that are due at one instant", of("W2", "20,000 /s", three, max)),
        ("deliver 200,000 messages that are due at one instant", of("W2", "200,000 /s", three, max))], bar)
    late = []
    for rate in ["1,000/s", "5,000/s"]:
        half, nearly_all = (of("W3", f"{rate}, {share} ms", three, min) for share in ["p50", "p99"])
        late.append((f"{rate[:-2]} messages a second", [(one[0], (one[1], two[1])) for one, two in zip(half, nearly_all)]))
    rows("lateness", "Lateness: half of the messages (full) and 99 % (hollow)", "milliseconds after the due time", range(0, 10, 3), late, halves)
    four = ["starter", "redisson", "bullmq", "raw"]
    rows("redis-time", "Processor time of Redis for a message, whole path", "microseconds a message",
         range(0, 601, 100), [(f"{rate[:-2]} messages a second", of("W3", f"{rate}, Redis us", four, min))
                               for rate in ["1,000/s", "5,000/s"]]
         + [("a burst of 50,000 messages", of("W6", "whole path us", three, min))], bar)

    rows("memory", "Memory of Redis for a waiting message", "bytes", range(0, 601, 100), [
        ("with 256 bytes of payload, while 100,000 wait", list(memory().items()))], bar)

    def fleet(rate, what):
        return {count: values["W9", f"{count} application{'s' if count > 1 else ''}, {rate}, {what}"]["starter"]
                for count in [1, 10, 50]}

    curves("processes", "What a message costs with 1, 10 and 50 processes on one queue", [
        ("commands sent to Redis for a message", "processes", range(0, 5),
         [("100 a second", "starter", fleet("100/s", "commands sent")),
          ("1,000 a second", "starter", fleet("1,000/s", "commands sent"))]),
        ("processor time of Redis for a message, microseconds", "processes", range(0, 801, 200),
         [("100 a second", "starter", fleet("100/s", "Redis us")),
          ("1,000 a second", "starter", fleet("1,000/s", "Redis us"))])])

    def waiting(what, contender):
        return {count: values["W4", f"{count:,} waiting, {what}"][contender] for count in [10_000, 100_000, 1_000_000]}

    curves("waiting", "Rate while 10,000 to 1,000,000 messages wait", [
        ("schedule by 8 threads, messages a second", "waiting messages", range(0, 40_001, 10_000),
         [(NAMES[name], name, waiting("schedule by 8 threads /s", name)) for name in ["starter", "raw"]]),
        ("deliver a burst, messages a second", "waiting messages", range(0, 120_001, 20_000),
         [(NAMES[name], name, waiting("drain /s", name)) for name in ["starter", "raw"]])])
    recovery(values, [(20, 20, "a process killed"), (65, 75, "another frozen"), (110, 115, "Redis frozen")])


if __name__ == "__main__":
    main()
