package io.delayqueue.sample.callbacks;

import io.delayqueue.sample.web.Fields;
import io.delayqueue.sample.web.Locations;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/callbacks")
final class CallbackController {

	private final Callbacks callbacks;

	CallbackController(Callbacks callbacks) {
		this.callbacks = callbacks;
	}

	@PostMapping
	ResponseEntity<CallbackStatus> start(@RequestBody NewCallback request) {
		CallbackStatus status = this.callbacks.start(request.checked(), request.checkedUnit());
		return ResponseEntity.accepted().location(Locations.of(status.id())).body(status);
	}

	@GetMapping("/{id}")
	CallbackStatus find(@PathVariable String id) {
		return this.callbacks.find(Fields.name("id", id));
	}

	@PostMapping("/{id}/redrive")
	@ResponseStatus(HttpStatus.ACCEPTED)
	CallbackStatus redrive(@PathVariable String id) {
		return this.callbacks.redrive(Fields.name("id", id));
	}

}
