/* Operations on a whole queue. */

async function control(queue, action) {
	const answer = await operate(queue, action);
	notify('ok', `Queue ${queue} is ${answer.paused ? 'paused' : 'not paused'} and`
		+ ` ${answer.draining ? 'accepts no new messages' : 'accepts messages'}.`);
}

function pauseButton(queue) {
	return queue.paused ? actionButton('Resume', () => control(queue.name, 'resume'), { class: 'primary', id: 'resume' })
		: actionButton('Pause', () => control(queue.name, 'pause'), { id: 'pause', title: 'Stops delivery in all processes' });
}

async function hold(queue) {
	await ask({ title: `Hold ${queue}?`, confirm: 'Hold',
		lines: ['Nothing of the queue, or of one group, is delivered in any process until the end of the hold. Messages are accepted.'],
		fields: [{ name: 'delay', label: 'For how long', placeholder: '30m', value: '30m' },
			{ name: 'group', label: 'Only this group (optional)' }, { name: 'why', label: 'Why' }],
		work: async (answer) => {
			const given = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== ''));
			const held = await operate(queue, 'hold', given);
			notify('ok', `${held.group ? `Group ${held.group} of queue ${queue}` : `Queue ${queue}`} is held until ${absolute(held.until)}.`);
		} });
}

async function release(queue, group) {
	await operate(queue, 'release', group ? { group } : {});
	notify('ok', group ? `Group ${group} of queue ${queue} is not held.` : `Nothing of queue ${queue} is held.`);
}

async function drain(queue) {
	await ask({ title: `Drain ${queue}?`, confirm: 'Drain', lines: ['It accepts no new messages: schedule throws'
		+ ' QueueDrainingException in all processes. Messages of the queue are delivered when they are due.'],
	work: () => control(queue, 'drain') });
}

async function repartition(queue) {
	await ask({ title: `Change the partition count of ${queue.name}?`, confirm: 'Change',
		lines: ['New messages go to the new partitions. Messages that wait are delivered from the earlier partitions, which end'
			+ ' when they are empty. Producers and consumers may run.'],
		fields: [{ name: 'partitions', label: 'Partitions, 1 to 1,024', type: 'number', step: 1 }],
		work: async (answer) => {
			const changed = await operate(queue.name, 'repartition', { partitions: answer.partitions });
			notify('ok', `Queue ${queue.name} gets ${counted(changed.partitions, 'partition')}.`);
		} });
}

async function purge(queue) {
	await ask({ title: `Purge ${queue}?`, confirm: 'Remove all messages', danger: true,
		lines: ['All messages of the queue are removed for good, those in flight too.'],
		fields: [{ name: 'deadLetters', label: 'Remove the dead letters too', type: 'checkbox' },
			{ name: 'confirm', label: `Enter the name of the queue, ${queue}`, must: queue }],
		work: async (answer) => {
			const purged = await operate(queue, 'purge', { confirm: answer.confirm, deadLetters: answer.deadLetters });
			notify('ok', `Removed: ${count(purged.waiting)} undelivered, ${count(purged.inFlight)} in flight,`
				+ ` ${counted(purged.deadLetters, 'dead letter')}.`);
		} });
}

async function audit(queue) {
	const found = await operate(queue, 'audit');
	if (found.addsUp) {
		notify('ok', `The counts are consistent: ${counted(found.messages, 'message')}.`);
		return;
	}
	showText(`The counts of ${queue} are inconsistent`, h('p', {}, 'A small difference may be temporary while messages are handled: audit'
		+ ' again. A repair removes differences that remain.'), table('Partitions', [
		{ name: 'Partition', class: 'number', cell: (one) => count(one.number) },
		{ name: 'Without state', class: 'number', cell: (one) => count(one.withoutPlace) },
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
		notify('ok', `${counted(right, 'message')} repaired so far ...`);
	}
	while (from);
	notify(lost > 0 ? 'bad' : 'ok', `${counted(right, 'message')} repaired, ${count(lost)} lost.`,
		lost > 0 ? 'The log contains the ids of the lost messages.' : '');
}

function operations(queue) {
	const line = (made, text) => h('li', {}, made, h('span', {}, text));
	return mayOperate && card('Operations', { class: 'operations' }, h('ul', {},
		line(actionButton('Hold…', () => hold(queue.name), { id: 'hold' }), 'delivers nothing of the queue or of a group until a time'),
		queue.holds.length > 0 && line(actionButton('Release', () => release(queue.name), { id: 'release' }), 'ends all holds of the queue and of its groups'),
		queue.drainingSince ? line(actionButton('Reopen', () => control(queue.name, 'reopen'), { id: 'reopen' }), 'accepts messages again')
			: line(actionButton('Drain', () => drain(queue.name), { id: 'drain' }), 'accepts no new messages, delivers those of the queue'),
		line(actionButton('Partitions…', () => repartition(queue), { id: 'repartition' }), 'changes the number of partitions while messages wait'),
		line(actionButton('Audit', () => audit(queue.name)), 'checks that the counts are consistent; changes nothing'),
		line(actionButton('Repair', () => repair(queue.name)), 'repairs damaged messages; also runs automatically'),
		line(actionButton('Purge…', () => purge(queue.name), { class: 'danger', id: 'purge' }), 'removes all messages for good')));
}
