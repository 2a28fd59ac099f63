package io.delayqueue.sample.pushes;

import io.delayqueue.sample.web.Fields;
import io.delayqueue.sample.web.Locations;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/pushes")
final class PushController {

	private final Pushes pushes;

	PushController(Pushes pushes) {
		this.pushes = pushes;
	}

	@PostMapping
	ResponseEntity<Push> set(@RequestBody NewPush request) {
		Push push = request.checked();
		this.pushes.set(push);
		return ResponseEntity.created(Locations.of(push.id())).body(push);
	}

	@GetMapping("/{id}")
	Push find(@PathVariable String id) {
		return this.pushes.find(Fields.name("id", id));
	}

	@DeleteMapping("/{id}")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void delete(@PathVariable String id) {
		this.pushes.delete(Fields.name("id", id));
	}

}
