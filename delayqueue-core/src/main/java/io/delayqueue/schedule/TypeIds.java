package io.delayqueue.schedule;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.Version;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.util.ClassUtil;
import tools.jackson.databind.util.NameTransformer;

/**
 * Writes the type ids that a reader needs. A payload is written by the classes of its
 * values and read by the types that a listener declares. So a value may need a type id
 * where its writer cannot see the declared type: in a list, a map or a generic class.
 * <ul>
 * <li>A value of a sealed type always gets a type id, the simple name of its class in the
 * property {@code @type}. This applies to sealed interfaces and abstract sealed classes
 * without annotations of Jackson, which would decide otherwise.</li>
 * <li>A value of a type with {@link JsonTypeInfo} is refused where its type id would be
 * missing, because the request does not say the type of the payload.</li>
 * </ul>
 */
final class TypeIds extends JacksonModule {

	private static final JsonTypeInfo.Value OF_SEALED = JsonTypeInfo.Value.construct(JsonTypeInfo.Id.SIMPLE_NAME,
			JsonTypeInfo.As.PROPERTY, JsonTypeInfo.Id.SIMPLE_NAME.getDefaultPropertyName(), null, false, false);

	@Override
	public String getModuleName() {
		return TypeIds.class.getName();
	}

	@Override
	public Version version() {
		return Version.unknownVersion();
	}

	@Override
	public void setupModule(SetupContext context) {
		context.appendAnnotationIntrospector(new SealedTypes());
		context.addSerializerModifier(new Serializers());
	}

	private static final class SealedTypes extends NopAnnotationIntrospector {

		private static final long serialVersionUID = 1L;

		@Override
		public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
			return (annotated instanceof AnnotatedClass type && isOfSealed(type.getRawType())) ? OF_SEALED : null;
		}

		@Override
		public @Nullable List<NamedType> findSubtypes(MapperConfig<?> config, Annotated annotated) {
			Class<?> type = annotated.getRawType();
			return isSealed(type) ? Arrays.stream(type.getPermittedSubclasses()).map(NamedType::new).toList() : null;
		}

		private static boolean isOfSealed(@Nullable Class<?> type) {
			return type != null && !ClassUtil.isJDKClass(type) && (isSealed(type) || isOfSealed(type.getSuperclass())
					|| Arrays.stream(type.getInterfaces()).anyMatch(SealedTypes::isOfSealed));
		}

		private static boolean isSealed(Class<?> type) {
			return type.isSealed() && Modifier.isAbstract(type.getModifiers()) && !type.isEnum()
					&& Stream
						.of(Stream.of(type), Arrays.stream(type.getDeclaredMethods()),
								Arrays.stream(type.getDeclaredConstructors()))
						.flatMap((elements) -> elements)
						.noneMatch(SealedTypes::isAnnotated);
		}

		private static boolean isAnnotated(AnnotatedElement element) {
			return Arrays.stream(element.getAnnotations())
				.anyMatch((annotation) -> annotation.annotationType().getName().contains(".jackson."));
		}

	}

	private static final class Serializers extends ValueSerializerModifier {

		private static final long serialVersionUID = 1L;

		@Override
		public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier type,
				ValueSerializer<?> serializer) {
			return withTypeId(config, type, serializer);
		}

		@Override
		public ValueSerializer<?> modifyEnumSerializer(SerializationConfig config, JavaType valueType,
				BeanDescription.Supplier type, ValueSerializer<?> serializer) {
			return withTypeId(config, type, serializer);
		}

		@SuppressWarnings("unchecked")
		private static ValueSerializer<?> withTypeId(SerializationConfig config, BeanDescription.Supplier type,
				ValueSerializer<?> serializer) {
			JsonTypeInfo.Value info = config.getAnnotationIntrospector()
				.findPolymorphicTypeInfo(config, type.getClassInfo());
			boolean isWithout = info == null || info.getIdType() == JsonTypeInfo.Id.NONE
					|| info.getIdType() == JsonTypeInfo.Id.DEDUCTION
					|| info.getInclusionType() == JsonTypeInfo.As.EXISTING_PROPERTY;
			return isWithout ? serializer
					: new WithTypeId((ValueSerializer<Object>) serializer, type.getType(), OF_SEALED.equals(info));
		}

	}

	/** Writes a value with its type id, or refuses to write it without one. */
	private static final class WithTypeId extends ValueSerializer<Object> {

		private final ValueSerializer<Object> serializer;

		private final JavaType type;

		private final boolean isOfSealed;

		WithTypeId(ValueSerializer<Object> serializer, JavaType type, boolean isOfSealed) {
			this.serializer = serializer;
			this.type = type;
			this.isOfSealed = isOfSealed;
		}

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			if (!this.isOfSealed) {
				context
					.reportBadDefinition(this.type, "it would be written without its type id, and could not be read: "
							+ "pass the type of the payload, such as new ParameterizedTypeReference<List<Shape>>() {}");
			}
			this.serializer.serializeWithType(value, generator, context, context.findTypeSerializer(this.type));
		}

		@Override
		public void serializeWithType(Object value, JsonGenerator generator, SerializationContext context,
				TypeSerializer typeSerializer) {
			this.serializer.serializeWithType(value, generator, context, typeSerializer);
		}

		@Override
		public void resolve(SerializationContext context) {
			this.serializer.resolve(context);
		}

		@Override
		@SuppressWarnings("unchecked")
		public ValueSerializer<?> createContextual(SerializationContext context, BeanProperty property) {
			return new WithTypeId((ValueSerializer<Object>) this.serializer.createContextual(context, property),
					this.type, this.isOfSealed);
		}

		/** The properties of a value that is unwrapped become those of another one. */
		@Override
		public ValueSerializer<Object> unwrappingSerializer(NameTransformer unwrapper) {
			return this.serializer.unwrappingSerializer(unwrapper);
		}

		@Override
		public Class<?> handledType() {
			return this.type.getRawClass();
		}

		@Override
		public boolean isEmpty(SerializationContext context, Object value) {
			return this.serializer.isEmpty(context, value);
		}

		@Override
		public boolean usesObjectId() {
			return this.serializer.usesObjectId();
		}

	}

}
