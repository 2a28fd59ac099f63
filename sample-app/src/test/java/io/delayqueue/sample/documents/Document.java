package io.delayqueue.sample.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A document of this repository with its shell commands.
 *
 * @param name its path from the root of the repository
 * @param blocks its shell blocks, in their order
 */
record Document(String name, List<Block> blocks) {

	static final Path ROOT = Path.of("..");

	private static final String FENCE = "```";

	private static final String SHELL = FENCE + "shell";

	static Document read(String name) {
		try {
			return new Document(name, blocks(Files.readAllLines(ROOT.resolve(name))));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<Block> blocks(List<String> lines) {
		List<Block> blocks = new ArrayList<>();
		String section = "";
		for (int i = 0; i < lines.size(); i++) {
			String line = lines.get(i);
			if (line.strip().startsWith(FENCE)) {
				int indent = line.indexOf(FENCE);
				int begin = i + 1;
				for (i = begin; !lines.get(i).strip().equals(FENCE); i++) {
					// to the end of the block
				}
				if (line.strip().equals(SHELL)) {
					List<String> content = lines.subList(begin, i)
						.stream()
						.map((inside) -> inside.substring(Math.min(indent, inside.length())))
						.toList();
					blocks.add(new Block(section, new Commands(begin + 1, content)));
				}
			}
			else if (line.matches("#+ .*")) {
				section = line.replaceFirst("#+ ", "");
			}
		}
		return List.copyOf(blocks);
	}

	/**
	 * Returns a shell block.
	 * @param section the heading above it
	 * @param number its index in the section, from 0
	 */
	Commands shell(String section, int number) {
		List<Commands> found = this.blocks.stream()
			.filter((block) -> block.section().equals(section))
			.map(Block::commands)
			.toList();
		if (number >= found.size()) {
			throw new IllegalArgumentException(
					"%s has %d blocks under '%s'".formatted(this.name, found.size(), section));
		}
		return found.get(number);
	}

	/** Returns a command within a sentence. */
	Commands inline(String command) {
		try {
			if (!Files.readString(ROOT.resolve(this.name)).contains('`' + command + '`')) {
				throw new IllegalArgumentException(this.name + " does not contain: " + command);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new Commands(0, List.of(command));
	}

	/**
	 * A shell block.
	 *
	 * @param section the heading above it
	 * @param commands its content
	 */
	record Block(String section, Commands commands) {

	}

}
