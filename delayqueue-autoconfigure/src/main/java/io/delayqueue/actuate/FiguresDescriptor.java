package io.delayqueue.actuate;

import java.util.List;

import io.delayqueue.observe.ProcessStatistics.Figures;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The counters of the answering process for the queues that it handles.
 *
 * @param process an id of the process, which changes with a restart
 * @param queues the counters of each queue, {@code null} if this process has no meters
 */
public record FiguresDescriptor(String process, @Nullable List<Figures> queues) implements OperationResponseBody {
}
