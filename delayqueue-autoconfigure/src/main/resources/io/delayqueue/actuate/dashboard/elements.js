/* Creates and updates elements. Texts become text nodes, never markup. */

const SVG = 'http://www.w3.org/2000/svg';
const PROPERTIES = ['checked', 'disabled', 'hidden', 'selected'];
const HANDLERS = ['onclick', 'onchange', 'oninput', 'onsubmit'];

function filled(element, attributes, children) {
	Object.entries(attributes || {}).forEach(([name, value]) => {
		if (name.startsWith('on') || PROPERTIES.includes(name)) {
			element[name] = value;
		}
		else if (value !== undefined && value !== null && value !== false) {
			element.setAttribute(name, value);
		}
	});
	element.append(...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false));
	return element;
}

function h(tag, attributes, ...children) {
	return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
	return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Updates the children of an element. Matching elements are kept, with their focus. */
function morph(element, wanted) {
	const keyed = new Map([...element.children].filter((child) => child.dataset.key)
		.map((child) => [child.dataset.key, child]));
	let position = element.firstChild;
	for (const next of wanted) {
		const key = next.dataset && next.dataset.key;
		const kept = key ? keyed.get(key)
			: position && position.nodeName === next.nodeName && !(position.dataset && position.dataset.key) ? position : null;
		if (!kept || kept.nodeName !== next.nodeName) {
			element.insertBefore(next, position);
			continue;
		}
		if (kept === position) {
			position = position.nextSibling;
		}
		else {
			element.insertBefore(kept, position);
		}
		update(kept, next);
	}
	while (position) {
		const gone = position;
		position = position.nextSibling;
		gone.remove();
	}
}

function update(kept, next) {
	if (kept.nodeType === Node.TEXT_NODE) {
		if (kept.nodeValue !== next.nodeValue) {
			kept.nodeValue = next.nodeValue;
		}
		return;
	}
	const own = kept.nodeName === 'DETAILS' ? ['open'] : [];
	[...kept.attributes].filter(({ name }) => !next.hasAttribute(name) && !own.includes(name))
		.forEach(({ name }) => kept.removeAttribute(name));
	[...next.attributes].filter(({ name, value }) => kept.getAttribute(name) !== value && !own.includes(name))
		.forEach(({ name, value }) => kept.setAttribute(name, value));
	HANDLERS.forEach((name) => {
		kept[name] = next[name];
	});
	PROPERTIES.filter((name) => name in next && kept[name] !== next[name]).forEach((name) => {
		kept[name] = next[name];
	});
	morph(kept, [...next.childNodes]);
}
