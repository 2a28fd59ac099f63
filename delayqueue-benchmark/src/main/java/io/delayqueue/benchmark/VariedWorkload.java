package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Runs workloads against variants of the target. The lines begin with the name of their
 * variant.
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
	 * A variant.
	 *
	 * @param name its name
	 * @param change makes its target, which may have a server of its own
	 * @param workloads the workloads
	 */
	record Variant(String name, Change change, List<Workload> workloads) {

		Variant(String name, Change change, Workload... workloads) {
			this(name, change, List.of(workloads));
		}

	}

	/** A change of a target. */
	interface Change {

		Target apply(Target target) throws InterruptedException;

	}

}
