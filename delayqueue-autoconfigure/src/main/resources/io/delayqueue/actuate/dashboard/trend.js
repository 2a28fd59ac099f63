/* The last hour, day or week of a queue, as all processes together have counted it. */

const SPANS = { hour: 'minute', day: '15 minutes', week: '2 hours' };
const TREND_FRESH = 30 * SECOND;

async function readTrend(queue, state) {
	if (!state.trend || state.trend.over !== state.over || now() - state.trendAt >= TREND_FRESH) {
		state.trend = await read([queue, 'trend'], { over: state.over });
		state.trendAt = now();
	}
	return state.trend;
}

/** The smallest round number that is not below a value. */
function roundedUp(value) {
	const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
	return [1, 2, 5, 10].map((factor) => factor * size).find((most) => most >= value);
}

/** Lines over time with their axes. A series has a name, a level for its colour, and a value of each point, null if unknown. */
function chart(title, points, series, format, top) {
	const known = series.flatMap(({ values }) => values).filter((value) => value !== null);
	const most = top(Math.max(0, ...known));
	const place = (value, at) => `${(600 * at / (points.length - 1)).toFixed(1)},${(98 - 96 * value / most).toFixed(1)}`;
	const line = ({ values, level }) => {
		const places = values.map((value, at) => value === null ? null : place(value, at)).filter(Boolean);
		// A line from a point to itself is a dot
		return svg('polyline', { class: level, points: (places.length === 1 ? [...places, ...places] : places).join(' ') });
	};
	const latest = (values) => values.findLast((value) => value !== null) ?? null;
	const word = ({ name, values }) => `${name} ${latest(values) === null ? 'unknown' : `${format(latest(values))}, at most ${format(Math.max(...values.filter((value) => value !== null)))}`}`;
	const times = [0, Math.floor(points.length / 2), points.length - 1].map((at) => points[at].at);
	return h('figure', { class: 'chart' },
		h('figcaption', {}, h('b', {}, title), series.map(({ name, level }) => h('span', { class: 'key' },
			svg('svg', { viewBox: '0 0 18 4', 'aria-hidden': 'true' }, svg('polyline', { class: level, points: '0,2 18,2' })), name))),
		h('div', { class: 'axis' }, [most, most / 2, 0].map((value) => h('span', {}, format(value)))),
		svg('svg', { class: 'plot', viewBox: '0 0 600 100', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${series.map(word).join('; ')}` },
			[2, 50, 98].map((y) => svg('line', { x1: 0, x2: 600, y1: y, y2: y })), series.map(line)),
		h('div', { class: 'times' }, times.map((at) => h('time', { datetime: at, title: absolute(at) }, shortClock.format(Date.parse(at))))));
}

/** A round duration that is not below a value, so that its half is round, too. */
function durationUp(millis) {
	return [10, 100, SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 10 * HOUR, DAY].find((most) => most >= millis) || roundedUp(millis / DAY) * DAY;
}

function trendTable(queue, points) {
	const rows = points.filter((one) => one.scheduled + one.handled + one.failed + one.deadLettered > 0 || one.waiting !== undefined).reverse();
	const late = (name, part) => ({ name, class: 'number', cell: (one) => one[part] === undefined ? '–' : duration(one[part]) });
	const number = (name, part) => ({ name, class: 'number', cell: (one) => one[part] === undefined ? '–' : count(one[part]) });
	return h('details', { 'data-key': 'trend-table' }, h('summary', {}, 'As a table'), table('Trend', [
		{ name: 'From', class: 'when', cell: (one) => h('time', { datetime: one.at, title: absolute(one.at) }, shortClock.format(Date.parse(one.at))) },
		number('Scheduled', 'scheduled'), number('Handled', 'handled'), number('Failed', 'failed'), number('Dead-lettered', 'deadLettered'),
		number('Waiting', 'waiting'), late('Lateness p50', 'latenessP50Millis'), late('p99', 'latenessP99Millis'), late('Max', 'latenessMaxMillis')
	], rows.map((one) => ({ key: one.at, of: one }))));
}

function trendPart(queue, trend, state) {
	// The last point is not complete; counts that have just begun would look like a fall
	const points = trend.points.slice(0, -1).some((one) => one.scheduled + one.handled + one.failed > 0) ? trend.points.slice(0, -1) : trend.points;
	if (points.length === 0) {
		return h('p', { class: 'note' }, 'The last hour, day and week of this queue are shown here if processes have ', h('code', {}, 'delayqueue.trends.enabled=true'), '.');
	}
	const each = (part) => points.map((one) => one[part] === undefined ? null : one[part]);
	const per = SPANS[trend.over];
	return h('section', { class: 'card trend', 'aria-label': 'Trend', 'data-key': 'trend' },
		h('div', { class: 'bar-of-tools' }, h('h2', {}, 'All processes over time'),
			h('div', { class: 'tabs' }, Object.keys(SPANS).map((span) => button(`Last ${span}`, () => {
				state.over = span;
				refresh();
			}, { 'aria-pressed': String(span === state.over), id: `over-${span}` })))),
		h('div', { class: 'charts' },
			chart(`Messages in ${per === 'minute' ? 'a minute' : per}`, points, [{ name: 'scheduled', level: 'faint', values: each('scheduled') },
				{ name: 'handled', level: 'ok', values: each('handled') }, { name: 'failed', level: 'warn', values: each('failed') },
				{ name: 'dead-lettered', level: 'bad', values: each('deadLettered') }], count, (value) => roundedUp(Math.max(value, 2))),
			chart('Waiting', points, [{ name: 'scheduled messages', level: 'ok', values: each('waiting') }], count, (value) => roundedUp(Math.max(value, 2))),
			chart('Lateness', points, [{ name: 'p50', level: 'ok', values: each('latenessP50Millis') }, { name: 'p99', level: 'warn', values: each('latenessP99Millis') },
				{ name: 'max', level: 'bad', values: each('latenessMaxMillis') }], duration, durationUp)),
		trendTable(queue, trend.points));
}
