/* What can be done with a whole queue. */

async function steer(queue, action) {
	const answer = await operate(queue, action);
	say('ok', `Queue ${queue} is ${answer.paused ? 'paused' : 'not paused'} and`
		+ ` ${answer.draining ? 'accepts nothing new' : 'accepts messages'}.`);
}

function pauseButton(queue) {
	return queue.paused ? deed('Resume', () => steer(queue.name, 'resume'), { class: 'primary', id: 'resume' })
		: deed('Pause', () => steer(queue.name, 'pause'), { id: 'pause', title: 'Nothing is handled, in all processes' });
}

async function drain(queue) {
	if (await ask({ title: `Drain ${queue}?`, confirm: 'Drain', lines: ['It accepts nothing new: schedule throws'
		+ ' QueueDrainingException in all processes. What is there is delivered when it is due.'] })) {
		await steer(queue, 'drain');
	}
}

async function purge(queue) {
	const answer = await ask({ title: `Purge ${queue}?`, confirm: 'Remove all messages', danger: true,
		lines: ['All messages of the queue are removed for good, those in flight too.'],
		fields: [{ name: 'deadLetters', label: 'Remove the dead letters too', type: 'checkbox' },
			{ name: 'confirm', label: `Enter the name of the queue, ${queue}`, must: queue }] });
	if (answer) {
		const purged = await operate(queue, 'purge', { confirm: answer.confirm, deadLetters: answer.deadLetters });
		say('ok', `Removed: ${count(purged.waiting)} that waited, ${count(purged.inFlight)} in flight,`
			+ ` ${counted(purged.deadLetters, 'dead letter')}.`);
	}
}

async function audit(queue) {
	const found = await operate(queue, 'audit');
	if (found.addsUp) {
		say('ok', `It adds up: ${counted(found.messages, 'message')}.`);
		return;
	}
	tell(`${queue} does not add up`, h('p', {}, 'While messages come and go a small difference may be of the moment: look'
		+ ' again. What stays is put right by a repair.'), table('Partitions', [
		{ name: 'Partition', class: 'number', cell: (one) => count(one.number) },
		{ name: 'Without place', class: 'number', cell: (one) => count(one.withoutPlace) },
		{ name: 'Without entry', class: 'number', cell: (one) => count(one.withoutEntry) },
		{ name: 'Stranded', class: 'number', cell: (one) => count(one.stranded) }
	], found.partitions.map((one) => ({ of: one }))));
}

async function repair(queue) {
	let right = 0;
	let lost = 0;
	let from;
	do {
		const step = await operate(queue, 'repair', from ? { from } : {});
		right += step.noPlace + step.twoPlaces + step.early + step.leftOver;
		lost += step.lost;
		from = step.next;
		say('ok', `${counted(right, 'message')} put right so far ...`);
	}
	while (from);
	say(lost > 0 ? 'bad' : 'ok', `${counted(right, 'message')} put right, ${count(lost)} lost.`,
		lost > 0 ? 'The log has the ids of those that are lost.' : '');
}

function operations(queue) {
	const line = (made, text) => h('li', {}, made, h('span', {}, text));
	return mayOperate && card('Operations', { class: 'operations' }, h('ul', {},
		queue.drainingSince ? line(deed('Reopen', () => steer(queue.name, 'reopen'), { id: 'reopen' }), 'accepts messages again')
			: line(deed('Drain', () => drain(queue.name), { id: 'drain' }), 'accepts nothing new, delivers what is there'),
		line(deed('Audit', () => audit(queue.name)), 'counts what must add up; changes nothing'),
		line(deed('Repair', () => repair(queue.name)), 'puts right what is damaged, as the maintenance does by itself'),
		line(deed('Purge…', () => purge(queue.name), { class: 'danger', id: 'purge' }), 'removes all messages for good')));
}
