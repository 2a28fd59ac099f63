package io.delayqueue.test;

import java.io.IOException;
import java.util.Set;

import io.delayqueue.DelayedListener;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.filter.AbstractTypeHierarchyTraversingFilter;
import org.springframework.core.type.filter.TypeFilter;

/**
 * Adds the beans with listeners, also with inherited ones, or only the named ones, to the
 * context of a {@link DelayQueueTest}.
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
	protected Set<Class<?>> getComponentIncludes() {
		return Set.of(getAnnotation().getValue("listeners", Class[].class).orElseThrow());
	}

	@Override
	protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
		return super.defaultInclude(reader, factory)
				|| (getComponentIncludes().isEmpty() && LISTENERS.match(reader, factory));
	}

}
