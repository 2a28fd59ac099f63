package io.delayqueue.schedule;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.Version;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.jdk.EnumDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.jackson.JsonValueSerializer;
import tools.jackson.databind.ser.jdk.EnumSerializer;
import tools.jackson.databind.util.ClassUtil;
import tools.jackson.databind.util.NameTransformer;

/**
 * Writes the type ids that a reader needs. A payload is written by the classes of its
 * values and read by the types that a listener declares. So a value may need a type id
 * where its writer cannot see the declared type: in a list, a map or a generic class.
 * <ul>
 * <li>A value of a sealed type always gets a type id, the simple name of its class in the
 * property {@code @type}, or the full name where simple names are ambiguous. This applies
 * to sealed interfaces and abstract sealed classes, except where the application decides
 * otherwise, by annotations of Jackson or by a serializer or deserializer of its
 * own.</li>
 * <li>A value of a type with {@link JsonTypeInfo} is refused where its type id would be
 * missing, because the request does not say the type of the payload: in a payload that is
 * a collection, a map or a generic class. A value in a property of a declared type, such
 * as {@code Object}, is read by the same type, and is accepted.</li>
 * </ul>
 */
final class TypeIds extends JacksonModule {

	private static final JsonTypeInfo.Value OF_SEALED = JsonTypeInfo.Value.construct(JsonTypeInfo.Id.SIMPLE_NAME,
			JsonTypeInfo.As.PROPERTY, JsonTypeInfo.Id.SIMPLE_NAME.getDefaultPropertyName(), null, false, false);

	/** Unwrapped values have no place for a type id. */
	private static final JsonTypeInfo.Value NONE = JsonTypeInfo.Value.construct(JsonTypeInfo.Id.NONE,
			JsonTypeInfo.As.PROPERTY, null, null, false, null);

	/** An attribute of writers of payloads whose type the request does not say. */
	static final Object UNTYPED = new Object();

	private final JsonMapper mapper;

	/**
	 * Creates the module.
	 * @param mapper the application's mapper, which knows its own serializers
	 */
	TypeIds(JsonMapper mapper) {
		this.mapper = mapper;
	}

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
		context.appendAnnotationIntrospector(new SealedTypes(this.mapper));
		context.addSerializerModifier(new Serializers());
	}

	private static final class SealedTypes extends NopAnnotationIntrospector {

		private static final long serialVersionUID = 1L;

		private static final List<Class<?>> STANDARD = List.of(BeanSerializerBase.class, EnumSerializer.class,
				JsonValueSerializer.class, UnknownSerializer.class, BeanDeserializerBase.class,
				AbstractDeserializer.class, EnumDeserializer.class);

		/** Reads an {@code object} of Kotlin by another deserializer. */
		private static final String OF_KOTLIN_OBJECT = "tools.jackson.module.kotlin.KotlinObjectSingletonDeserializer";

		private final JsonMapper mapper;

		SealedTypes(JsonMapper mapper) {
			this.mapper = mapper;
		}

		@Override
		public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
			if (annotated.hasAnnotation(JsonUnwrapped.class)) {
				return isOfSealed(annotated.getRawType()) ? NONE : null;
			}
			return (annotated instanceof AnnotatedClass type && isOfSealed(type.getRawType())) ? OF_SEALED : null;
		}

		@Override
		public @Nullable List<NamedType> findSubtypes(MapperConfig<?> config, Annotated annotated) {
			Class<?> type = annotated.getRawType();
			return isSealed(type) ? Arrays.stream(type.getPermittedSubclasses()).map(NamedType::new).toList() : null;
		}

		@Override
		public @Nullable String findTypeName(MapperConfig<?> config, AnnotatedClass annotated) {
			Class<?> type = annotated.getRawType();
			boolean isAmbiguous = sealedTypesOf(type).flatMap(SealedTypes::permitted)
				.anyMatch((other) -> other != type && other.getSimpleName().equals(type.getSimpleName()));
			return isAmbiguous ? type.getName() : null;
		}

		private boolean isOfSealed(Class<?> type) {
			List<Class<?>> sealed = sealedTypesOf(type).toList();
			return !sealed.isEmpty() && Stream.concat(Stream.of(type), sealed.stream().flatMap(SealedTypes::permitted))
				.distinct()
				.noneMatch(this::isCustom);
		}

		/** Whether the application writes or reads the type in its own way. */
		private boolean isCustom(Class<?> type) {
			try {
				return !isStandard(this.mapper._serializationContext().findValueSerializer(type))
						|| !isStandard(this.mapper._deserializationContext()
							.findNonContextualValueDeserializer(this.mapper.constructType(type)));
			}
			catch (JacksonException unsupported) {
				return false;
			}
		}

		private static boolean isStandard(Object converter) {
			return STANDARD.stream().anyMatch((standard) -> standard.isInstance(converter))
					|| converter.getClass().getName().equals(OF_KOTLIN_OBJECT);
		}

		private static Stream<Class<?>> permitted(Class<?> type) {
			return Stream.concat(Stream.of(type), type.isSealed()
					? Arrays.stream(type.getPermittedSubclasses()).flatMap(SealedTypes::permitted) : Stream.empty());
		}

		private static Stream<Class<?>> sealedTypesOf(@Nullable Class<?> type) {
			if (type == null || ClassUtil.isJDKClass(type)) {
				return Stream.empty();
			}
			Stream<Class<?>> above = Stream
				.concat(Stream.of(type.getInterfaces()), Stream.ofNullable(type.getSuperclass()))
				.flatMap(SealedTypes::sealedTypesOf);
			return isSealed(type) ? Stream.concat(Stream.of(type), above) : above;
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
					|| info.getIdType() == JsonTypeInfo.Id.DEDUCTION || info.getDefaultImpl() != null
					|| (!OF_SEALED.equals(info) && Boolean.FALSE.equals(info.getRequireTypeIdForSubtypes()))
					|| info.getInclusionType() == JsonTypeInfo.As.EXISTING_PROPERTY;
			return isWithout ? serializer : new WithTypeId((ValueSerializer<Object>) serializer, type.getType(),
					OF_SEALED.equals(info), null);
		}

	}

	/** Writes a value with its type id, or refuses to write it without one. */
	private static final class WithTypeId extends ValueSerializer<Object> {

		private final ValueSerializer<Object> serializer;

		private final JavaType type;

		private final boolean isOfSealed;

		/** The property whose value is written, or contains it. */
		private final @Nullable BeanProperty property;

		WithTypeId(ValueSerializer<Object> serializer, JavaType type, boolean isOfSealed,
				@Nullable BeanProperty property) {
			this.serializer = serializer;
			this.type = type;
			this.isOfSealed = isOfSealed;
			this.property = property;
		}

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			if (this.isOfSealed) {
				this.serializer.serializeWithType(value, generator, context, context.findTypeSerializer(this.type));
				return;
			}
			if (context.getAttribute(UNTYPED) != null && isOpen(this.property)
					&& isInOpenTypes(generator.streamWriteContext())) {
				context
					.reportBadDefinition(this.type, "it would be written without its type id, and could not be read: "
							+ "pass the type of the payload, such as new ParameterizedTypeReference<List<Shape>>() {}");
			}
			this.serializer.serialize(value, generator, context);
		}

		/** Whether the type of the property is known only to the reader. */
		private static boolean isOpen(@Nullable BeanProperty property) {
			if (property == null) {
				return true;
			}
			AnnotatedElement member = (property.getMember() != null) ? property.getMember().getAnnotated() : null;
			return (member instanceof Method method && isOpen(method.getGenericReturnType()))
					|| (member instanceof Field field && isOpen(field.getGenericType()));
		}

		private static boolean isOpen(Type type) {
			return type instanceof TypeVariable
					|| (type instanceof GenericArrayType array && isOpen(array.getGenericComponentType()))
					|| (type instanceof ParameterizedType generic
							&& Arrays.stream(generic.getActualTypeArguments()).anyMatch(WithTypeId::isOpen))
					|| (type instanceof WildcardType wildcard
							&& Arrays.stream(wildcard.getUpperBounds()).anyMatch(WithTypeId::isOpen));
		}

		/**
		 * Whether all that contains the value are arrays and objects of generic types.
		 */
		private static boolean isInOpenTypes(@Nullable TokenStreamContext place) {
			if (place == null || place.inRoot()) {
				return true;
			}
			Object container = place.currentValue();
			return container != null
					&& (container.getClass().isArray() || container.getClass().getTypeParameters().length > 0)
					&& isInOpenTypes(place.getParent());
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
		public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
			ValueSerializer<Object> contextual = (ValueSerializer<Object>) this.serializer.createContextual(context,
					property);
			boolean isDecided = property != null && property.getAnnotation(JsonTypeInfo.class) != null;
			return isDecided ? contextual : new WithTypeId(contextual, this.type, this.isOfSealed, property);
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
