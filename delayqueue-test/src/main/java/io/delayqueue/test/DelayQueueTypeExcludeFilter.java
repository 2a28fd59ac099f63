package io.delayqueue.test;

import java.io.IOException;

import io.delayqueue.DelayedListener;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.filter.AbstractTypeHierarchyTraversingFilter;
import org.springframework.core.type.filter.TypeFilter;

/**
 * Adds the beans with listeners, also with inherited ones, to the context of a
 * {@link DelayQueueTest}.
 */
final class DelayQueueTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<DelayQueueTest> {

	private static final TypeFilter LISTENERS = new AbstractTypeHierarchyTraversingFilter(true, true) {

		@Override
		protected boolean matchSelf(MetadataReader reader) {
			return reader.getAnnotationMetadata().hasAnnotatedMethods(DelayedListener.class.getName());
		}

	};

	DelayQueueTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
	}

	@Override
	protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
		return super.defaultInclude(reader, factory) || LISTENERS.match(reader, factory);
	}

}
