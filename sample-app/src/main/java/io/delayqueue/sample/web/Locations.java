package io.delayqueue.sample.web;

import java.net.URI;

import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Builds the addresses of created resources. */
public final class Locations {

	private Locations() {
	}

	/**
	 * Returns the address of a created resource.
	 * @param path the path segments of the resource below the address of the current
	 * request
	 * @return the address
	 */
	public static URI of(String... path) {
		return ServletUriComponentsBuilder.fromCurrentRequest().pathSegment(path).build().encode().toUri();
	}

}
