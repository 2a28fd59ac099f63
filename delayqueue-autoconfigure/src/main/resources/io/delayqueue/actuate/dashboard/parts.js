/* The components of all views: times, links, buttons, cards, tables, lines and bars. */

/** An instant; if it is more than an hour away, also by the user's clock. */
function time(iso) {
	return iso ? h('time', { datetime: iso, title: absolute(iso) }, relative(iso), Math.abs(since(iso)) >= HOUR
		&& h('small', {}, ` ${shortClock.format(Date.parse(iso))}`)) : h('span', { class: 'none' }, '–');
}

/** The time that has passed since an instant. */
function age(iso) {
	return h('time', { datetime: iso, title: `since ${absolute(iso)}` }, duration(since(iso)));
}

function chip(level, word, title) {
	return h('span', { class: `chip ${level}`, title }, word);
}

function link(route, text, attributes) {
	return h('a', { href: route, ...attributes }, text);
}

function button(text, onclick, attributes) {
	return h('button', { type: 'button', onclick, ...attributes }, text);
}

let working = false;

/** A button that starts an operation. Only one operation runs at a time. Failures are shown. */
function actionButton(text, work, attributes) {
	return button(text, async () => {
		if (working) {
			return;
		}
		working = true;
		draw();
		try {
			await work();
		}
		catch (problem) {
			notify('bad', problem.message, problem.advice);
		}
		working = false;
		refresh();
	}, { 'aria-disabled': working && 'true', ...attributes });
}

function card(title, attributes, ...children) {
	return h('section', { ...attributes, class: `card ${(attributes && attributes.class) || ''}`, 'aria-label': title,
		'data-key': title },
		h('h2', {}, title), children);
}

/** A heading that only screen readers show. */
function hiddenHeading(text) {
	return h('h1', { class: 'off' }, text);
}

function empty(title, ...lines) {
	return h('div', { class: 'empty' }, h('strong', {}, title), lines.map((line) => h('p', {}, line)));
}

/**
 * A table; each column has a name and makes a cell of a row. The column of the operations has no visible name. The roles keep
 * the table a table for screen readers where the style makes blocks of it.
 */
function table(label, columns, rows) {
	return h('div', { class: 'scroll' }, h('table', { 'aria-label': label, role: 'table', class: label.toLowerCase().replace(/ .*/, '') },
		h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, columns.map((column) => h('th', { scope: 'col', role: 'columnheader',
			class: column.class, title: column.title, 'aria-sort': column.sorted },
		column.head || column.name || h('span', { class: 'off' }, 'Operations'))))),
		h('tbody', { role: 'rowgroup' }, rows.map((row) => h('tr', { role: 'row', 'data-key': row.key }, columns.map((column) =>
			h('td', { role: 'cell', class: column.class, 'data-label': column.name }, column.cell(row.of))))))));
}

/** Buttons for the previous and the next page; the endpoint returns the cursor of the next one. */
function pager(state, next, shown) {
	const pages = state.pages;
	const turn = (change) => () => {
		change();
		refresh();
	};
	return (pages.length > 1 || next) && h('nav', { class: 'pager', 'aria-label': 'Pages' },
		button('Previous', turn(() => pages.pop()), { disabled: pages.length < 2 }),
		h('span', {}, `Page ${count(pages.length)}, ${counted(shown, 'line')}`),
		button('Next', turn(() => pages.push(next)), { disabled: !next }));
}

/** A line through values, the latest one at the right; unknown values are omitted. */
function sparkline(label, values, format, level) {
	const known = values.filter((value) => value !== null);
	const most = Math.max(...known, 0);
	const last = known.length > 0 ? known[known.length - 1] : null;
	const step = 100 / Math.max(values.length - 1, 1);
	const points = values.map((value, at) => value === null ? null
		: `${(at * step).toFixed(1)},${(22 - 20 * (most > 0 ? value / most : 0)).toFixed(1)}`).filter(Boolean);
	const description = last === null ? `${label}: nothing measured yet` : `${label}: ${format(last)} now, at most ${format(most)}`;
	return h('span', { class: `spark ${most > 0 ? level || '' : 'flat'}`, title: description },
		svg('svg', { viewBox: '0 0 100 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': description },
			points.length > 1 && svg('polyline', { points: points.join(' ') })),
		h('b', {}, last === null ? '–' : format(last)));
}

/** A number with its share of the maximum. */
function bar(name, number, most, level, title) {
	return h('li', { title }, h('span', {}, name), svg('svg', { class: `bar ${level || ''}`, 'aria-hidden': 'true' },
		svg('rect', { height: '100%', rx: 3, width: `${most > 0 && number > 0 ? Math.max(100 * number / most, 1) : 0}%` })),
		h('b', {}, count(number)));
}
