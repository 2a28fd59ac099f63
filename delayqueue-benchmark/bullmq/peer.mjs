// The contender "bullmq" of the benchmark: reads "<due, ms since 1970> <payload>" from each line of its input, and writes "stored" or
// "handled <payload>". Arguments: host and port of Redis.
import { createInterface } from 'node:readline';
import { Queue, Worker } from 'bullmq';

const connection = { host: process.argv[2], port: Number(process.argv[3]) };
const queue = new Queue('benchmark', { connection });
const worker = new Worker('benchmark', async (job) => console.log('handled ' + job.data), {
  connection,
  concurrency: 100,
  removeOnComplete: { count: 0 },
});
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const space = line.indexOf(' ');
  const delay = Math.max(0, Number(line.slice(0, space)) - Date.now());
  queue.add('message', line.slice(space + 1), { delay }).then(() => console.log('stored'));
}
await worker.close();
await queue.close();
