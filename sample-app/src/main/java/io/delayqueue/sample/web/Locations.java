package io.delayqueue.sample.web;

import java.net.URI;

import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Where the thing is that a request has made. */
public final class Locations {

	private Locations() {
	}

	/**
	 * The address of a new thing.
	 * @param path its place below the address of the current request
	 * @return the address
	 */
	public static URI of(String... path) {
		return ServletUriComponentsBuilder.fromCurrentRequest().pathSegment(path).build().encode().toUri();
	}

}
