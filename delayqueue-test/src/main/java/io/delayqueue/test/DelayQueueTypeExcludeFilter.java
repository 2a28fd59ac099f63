package io.delayqueue.test;

import java.io.IOException;

import io.delayqueue.DelayedListener;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Adds the beans with listeners to the context of a {@link DelayQueueTest}. */
final class DelayQueueTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<DelayQueueTest> {

	DelayQueueTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
	}

	@Override
	protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
		return super.defaultInclude(reader, factory)
				|| reader.getAnnotationMetadata().hasAnnotatedMethods(DelayedListener.class.getName());
	}

}
