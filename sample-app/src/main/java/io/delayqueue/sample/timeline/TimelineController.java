package io.delayqueue.sample.timeline;

import java.time.Instant;
import java.util.List;

import io.delayqueue.sample.web.Fields;
import io.delayqueue.sample.web.Locations;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The HTTP interface of timelines. Responses contain ids as texts, because browsers lose
 * digits of numbers above 2<sup>53</sup>.
 */
@RestController
@RequestMapping("/timeline")
final class TimelineController {

	private final Timeline timeline;

	TimelineController(Timeline timeline) {
		this.timeline = timeline;
	}

	@PostMapping
	ResponseEntity<Added> add(@RequestBody NewEntry request) {
		Arrival arrival = request.checked();
		this.timeline.add(arrival);
		String msgId = Long.toString(arrival.msgId());
		return ResponseEntity.created(Locations.of(arrival.user(), msgId)).body(new Added(arrival.user(), msgId));
	}

	@GetMapping("/{user}")
	Page page(@PathVariable String user, @RequestParam(required = false) @Nullable String after,
			@RequestParam(defaultValue = "10") int limit) {
		Long last = StringUtils.hasLength(after) ? MsgIds.checked("after", after) : null;
		return new Page(this.timeline.page(Fields.name("user", user), last, Fields.limit("limit", limit))
			.stream()
			.map(Delivered::of)
			.toList());
	}

	@GetMapping("/{user}/{msgId}")
	Delivered find(@PathVariable String user, @PathVariable String msgId) {
		return Delivered.of(this.timeline.find(Fields.name("user", user), MsgIds.checked("msgId", msgId)));
	}

	record Added(String user, String msgId) {

	}

	record Page(List<Delivered> messages) {

	}

	record Delivered(String msgId, Instant deliveredAt) {

		static Delivered of(TimelineEntry entry) {
			return new Delivered(Long.toString(entry.msgId()), entry.deliveredAt());
		}

	}

}
