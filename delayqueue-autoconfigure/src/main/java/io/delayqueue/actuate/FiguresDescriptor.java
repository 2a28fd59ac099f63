package io.delayqueue.actuate;

import java.util.List;

import io.delayqueue.observe.ProcessStatistics.Figures;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the process that answers has counted of the queues that it handles.
 *
 * @param process tells processes apart; another one after a restart
 * @param queues a queue each, {@code null} if this process has no meters
 */
public record FiguresDescriptor(String process, @Nullable List<Figures> queues) implements OperationResponseBody {
}
