package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Runs workloads with variants of a target, for example with and without TLS. The lines
 * of the results begin with the name of the variant.
 */
final class VariedWorkload implements Workload {

	private final Set<Contender> contenders;

	private final List<Variant> variants;

	/**
	 * Creates the workload.
	 * @param contenders the default contenders
	 * @param variants the variants
	 */
	VariedWorkload(Set<Contender> contenders, Variant... variants) {
		this.contenders = EnumSet.copyOf(contenders);
		this.variants = List.of(variants);
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.copyOf(this.contenders);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		for (Variant variant : this.variants) {
			Target varied = variant.change().apply(target);
			try {
				for (Workload workload : variant.workloads()) {
					varied.server().call("FLUSHALL");
					for (Measured one : workload.run(contender, varied)) {
						measured.add(new Measured(variant.name() + ", " + one.line(), one.value()));
					}
				}
			}
			finally {
				if (varied.server() != target.server()) {
					varied.server().close();
				}
			}
		}
		return measured;
	}

	/**
	 * A variant of the target.
	 *
	 * @param name the name of the variant
	 * @param change returns the target of the variant, which may have a server of its own
	 * @param workloads the workloads that run with this variant
	 */
	record Variant(String name, Change change, List<Workload> workloads) {

		Variant(String name, Change change, Workload... workloads) {
			this(name, change, List.of(workloads));
		}

	}

	/** Derives the target of a variant from another target. */
	interface Change {

		Target apply(Target target) throws InterruptedException;

	}

}
