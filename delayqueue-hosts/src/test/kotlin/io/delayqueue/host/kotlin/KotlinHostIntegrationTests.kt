package io.delayqueue.host.kotlin

import java.time.Duration
import java.util.UUID
import java.util.concurrent.LinkedBlockingQueue

import io.delayqueue.DelayQueueOperations
import io.delayqueue.DelayedListener
import io.delayqueue.DelayedMessage
import io.delayqueue.ScheduleRequest
import io.delayqueue.admin.DelayQueueAdmin
import io.delayqueue.test.redis.SharedRedis
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatException
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.extension.ExtendWith

import org.springframework.boot.SpringBootConfiguration
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.test.system.CapturedOutput
import org.springframework.boot.test.system.OutputCaptureExtension
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Import
import org.springframework.messaging.handler.annotation.Header
import org.springframework.stereotype.Component
import org.springframework.transaction.annotation.Transactional

data class Reminder(val user: String, val channel: String = "mail", val note: String? = null)

sealed interface Step {

	data class Charge(val amount: Int) : Step

	data object Close : Step

}

@Component
class Reminders(private val delayQueue: DelayQueueOperations) {

	fun signedUp(user: String) {
		delayQueue.schedule(ScheduleRequest.to("reminder").id(user).payload(Reminder(user)).delay(Duration.ofDays(3)))
	}

}

@Component
class ReminderListener(private val journal: Journal) {

	@Transactional
	@DelayedListener(queue = ["reminder"])
	fun remind(reminder: Reminder, @Header("tenant") tenant: String?) {
		journal.entries.add("$reminder for $tenant")
	}

}

@Component
class StepListener(private val journal: Journal) {

	@DelayedListener(queue = ["step"])
	fun step(step: Step) {
		journal.entries.add(step.toString())
	}

}

@Component
class BatchListener(private val journal: Journal) {

	@DelayedListener(queue = ["batch"], batch = "2")
	fun steps(steps: List<DelayedMessage<Step>>) {
		steps.forEach { journal.entries.add("${it.id()} ${it.payload()}") }
	}

}

@Component
class DefaultListener(private val journal: Journal) {

	@DelayedListener(queue = ["default"])
	fun remind(user: String, @Header("tenant") tenant: String = "none") {
		journal.entries.add("$user for $tenant")
	}

}

class SuspendingListener {

	@DelayedListener(queue = ["suspending"])
	suspend fun remind(reminder: Reminder) {
		println(reminder)
	}

}

class Journal {

	val entries = LinkedBlockingQueue<String>()

}

@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(
	Journal::class, Reminders::class, ReminderListener::class, StepListener::class, BatchListener::class,
	DefaultListener::class
)
class Shop

@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(SuspendingListener::class)
class SuspendingShop

@ExtendWith(OutputCaptureExtension::class)
@Timeout(120)
class KotlinHostIntegrationTests {

	@Test
	fun dataClassesAreHandledWithDefaultsAndNulls() {
		start(Shop::class.java).use { context ->
			val delayQueue = context.getBean(DelayQueueOperations::class.java)
			val entries = context.getBean(Journal::class.java).entries
			delayQueue.schedule("reminder", Reminder("ann", note = "tea"), Duration.ZERO)
			assertThat(entries.take()).isEqualTo("Reminder(user=ann, channel=mail, note=tea) for null")
			delayQueue.schedule("reminder", mapOf("user" to "bob"), Duration.ZERO)
			assertThat(entries.take()).isEqualTo("Reminder(user=bob, channel=mail, note=null) for null")

			delayQueue.schedule("reminder", mapOf("user" to null), Duration.ZERO)
			assertThat(deadBecause(context, "reminder")).isEqualTo("UNREADABLE")
		}
	}

	@Test
	fun theDefaultOfAParameterDoesNotReplaceAHeader() {
		start(Shop::class.java, "--delayqueue.defaults.max-attempts=1").use { context ->
			val request = ScheduleRequest.to("default").payload("ann").delay(Duration.ZERO)
			context.getBean(DelayQueueOperations::class.java).schedule(request.header("tenant", "t"))
			assertThat(context.getBean(Journal::class.java).entries.take()).isEqualTo("ann for t")
			context.getBean(DelayQueueOperations::class.java).schedule(request)
			assertThat(deadBecause(context, "default")).isEqualTo("HANDLER_FAILED")
		}
	}

	@Test
	fun sealedTypesAreHandledAloneAndInBatches() {
		start(Shop::class.java).use { context ->
			val delayQueue = context.getBean(DelayQueueOperations::class.java)
			val entries = context.getBean(Journal::class.java).entries
			delayQueue.schedule("step", Step.Charge(7), Duration.ZERO)
			assertThat(entries.take()).isEqualTo("Charge(amount=7)")
			delayQueue.schedule("step", Step.Close, Duration.ZERO)
			assertThat(entries.take()).isEqualTo("Close")
			delayQueue.schedule(ScheduleRequest.to("batch").id("a").payload(Step.Charge(8)).delay(Duration.ZERO))
			assertThat(entries.take()).isEqualTo("a Charge(amount=8)")
		}
	}

	@Test
	fun withoutTheModuleOfJacksonADefaultIsNotUsed() {
		start(Shop::class.java, "--spring.jackson.find-and-add-modules=false").use { context ->
			context.getBean(DelayQueueOperations::class.java).schedule("reminder", mapOf("user" to "bob"), Duration.ZERO)
			assertThat(deadBecause(context, "reminder")).isEqualTo("UNREADABLE")
		}
	}

	@Test
	fun aSuspendFunctionStopsTheStart(output: CapturedOutput) {
		assertThatException().isThrownBy { start(SuspendingShop::class.java) }
		assertThat(output).contains("SuspendingListener.remind", "is a suspend function, whose completion is not awaited",
			"Make it a plain function that blocks (runBlocking)")
	}

	private fun deadBecause(context: ConfigurableApplicationContext, queue: String): String {
		val admin = context.getBean(DelayQueueAdmin::class.java)
		await().until { admin.deadLetters(queue, null, 10).deadLetters().isNotEmpty() }
		return admin.deadLetters(queue, null, 10).deadLetters()[0].reason()
	}

	private fun start(application: Class<*>, vararg more: String): ConfigurableApplicationContext =
		SpringApplicationBuilder(application)
			.run("--spring.main.web-application-type=none", "--spring.data.redis.url=" + SharedRedis.get().uri(),
				"--delayqueue.key-prefix=host-" + UUID.randomUUID(), *more)

}
