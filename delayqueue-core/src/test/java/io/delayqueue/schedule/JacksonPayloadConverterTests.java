package io.delayqueue.schedule;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.OptBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What is written can be read as the type that a listener declares, or is refused.
 */
class JacksonPayloadConverterTests {

	private final JacksonPayloadConverter converter = new JacksonPayloadConverter(JsonMapper.builder().build());

	@ParameterizedTest
	@MethodSource
	void aPayloadIsReadAsItsType(Object payload, ParameterizedTypeReference<?> type) {
		assertThat(this.converter.read(this.converter.write(payload, type.getType()), type.getType()))
			.isEqualTo(payload);
	}

	static Stream<Arguments> aPayloadIsReadAsItsType() {
		return Stream.of(arguments(new Circle(1), new ParameterizedTypeReference<Shape>() {
		}), arguments(List.of(new Circle(1), new Square(2)), new ParameterizedTypeReference<List<Shape>>() {
		}), arguments(Map.of("a", new Square(2)), new ParameterizedTypeReference<Map<String, Shape>>() {
		}), arguments(new Wrapper<>(new Circle(1)), new ParameterizedTypeReference<Wrapper<Shape>>() {
		}), arguments(new Wrapper<>(List.of(new Card("4711"))),
				new ParameterizedTypeReference<Wrapper<List<Payment>>>() {
				}));
	}

	@ParameterizedTest
	@MethodSource
	void aPayloadWithoutATypeIsReadAsTheTypeOfTheListener(Object payload, ParameterizedTypeReference<?> type) {
		assertThat(readAs(payload, type.getType())).isEqualTo(payload);
	}

	static Stream<Arguments> aPayloadWithoutATypeIsReadAsTheTypeOfTheListener() {
		return Stream.of(arguments(new Circle(1), new ParameterizedTypeReference<Shape>() {
		}), arguments(new Circle(1), new ParameterizedTypeReference<Circle>() {
		}), arguments(new Drawing(new Circle(1), List.of(new Square(2))), new ParameterizedTypeReference<Drawing>() {
		}), arguments(new Shape[] { new Circle(1) }, new ParameterizedTypeReference<Shape[]>() {
		}), arguments(new Card("4711"), new ParameterizedTypeReference<Payment>() {
		}), arguments(new Sepa("DE12"), new ParameterizedTypeReference<Payment>() {
		}), arguments(new Card("4711"), new ParameterizedTypeReference<Card>() {
		}), arguments(List.of(new Card("4711"), Cash.EURO), new ParameterizedTypeReference<List<Payment>>() {
		}), arguments(Map.of("a", new Card("4711")), new ParameterizedTypeReference<Map<String, Payment>>() {
		}), arguments(new Wrapper<>(new Card("4711")), new ParameterizedTypeReference<Wrapper<Payment>>() {
		}), arguments(new Order(new Card("4711"), Optional.of(Cash.EURO)), new ParameterizedTypeReference<Order>() {
		}), arguments(new OrderEvent.Created("a"), new ParameterizedTypeReference<Event>() {
		}), arguments(new UserEvent.Created("a"), new ParameterizedTypeReference<Event>() {
		}), arguments(new OrderEvent.Created("a"), new ParameterizedTypeReference<OrderEvent.Created>() {
		}), arguments(List.of(new UserEvent.Created("a"), new OrderEvent.Created("b")),
				new ParameterizedTypeReference<List<Event>>() {
				}), arguments(new Unwrapped(1, new Card("4711")), new ParameterizedTypeReference<Unwrapped>() {
				}), arguments(List.of(new Fallback("a")), new ParameterizedTypeReference<List<WithDefault>>() {
				}), arguments(List.of(new Lenient("a")), new ParameterizedTypeReference<List<Lenient>>() {
				}), arguments(List.of(new Plain("a")), new ParameterizedTypeReference<List<Plain>>() {
				}), arguments(new Wrapper<>(new Plain("a")), new ParameterizedTypeReference<Wrapper<Plain>>() {
				}), arguments(List.of(new Deduced("a")), new ParameterizedTypeReference<List<Guessed>>() {
				}), arguments(Collections.unmodifiableMap(Map.of("a", Set.of(1))),
						new ParameterizedTypeReference<Map<String, Set<Integer>>>() {
						}),
				arguments(Arrays.asList("a", null), new ParameterizedTypeReference<List<String>>() {
				}), arguments(Color.RED, new ParameterizedTypeReference<Color>() {
				}), arguments(Path.of("/a"), new ParameterizedTypeReference<Path>() {
				}), arguments(UUID.randomUUID(), new ParameterizedTypeReference<UUID>() {
				}), arguments(Instant.EPOCH, new ParameterizedTypeReference<Instant>() {
				}), arguments(new BigDecimal("1.5"), new ParameterizedTypeReference<BigDecimal>() {
				}), arguments("text", new ParameterizedTypeReference<String>() {
				}));
	}

	@ParameterizedTest
	@MethodSource
	void aValueThatIsReadAsAnObjectNeedsNoTypeId(Object payload, Type type) {
		assertThat(readAs(payload, type).toString()).contains("radius=1");
	}

	static Stream<Arguments> aValueThatIsReadAsAnObjectNeedsNoTypeId() {
		return Stream.of(arguments(new Audit("a", new Circle(1)), Audit.class),
				arguments(new Audit("a", new Wrapper<>(List.of(new Circle(1)))), Audit.class),
				arguments(new Undecided(), Undecided.class),
				arguments(new Details(Map.of("a", new Circle(1))), Details.class),
				arguments(new Envelope<>("a", Map.of("a", new Circle(1))), Envelope.class));
	}

	@Test
	void aPayloadOfAGivenTypeIsReadAsThisType() {
		Type type = new ParameterizedTypeReference<Map<String, Object>>() {
		}.getType();
		assertThat(this.converter.read(this.converter.write(Map.of("a", new Circle(1)), type), type))
			.isEqualTo(Map.of("a", Map.of("radius", 1)));
	}

	@Test
	void aSealedTypeWithASerializerOfTheApplicationIsLeftAsItIs() {
		JacksonPayloadConverter custom = new JacksonPayloadConverter(JsonMapper.builder()
			.addModule(new SimpleModule().addSerializer(Payment.class, new PaymentSerializer())
				.addDeserializer(Payment.class, new PaymentDeserializer()))
			.build());
		Type type = new ParameterizedTypeReference<List<Payment>>() {
		}.getType();
		byte[] written = custom.write(List.of(new Sepa("DE12")), type);
		assertThat(written).asString(StandardCharsets.UTF_8).isEqualTo("[\"DE12\"]");
		assertThat(custom.read(written, type)).isEqualTo(List.of(new Sepa("DE12")));
	}

	@Test
	void aClassOfASealedTypeWithASerializerOfItsOwnIsLeftAsItIs() {
		byte[] written = this.converter.write(new Text("a"));
		assertThat(written).asString(StandardCharsets.UTF_8).isEqualTo("\"a\"");
		assertThat(this.converter.read(written, Text.class)).isEqualTo(new Text("a"));
		assertThat(this.converter.write(new Note(new Text("a")))).asString(StandardCharsets.UTF_8)
			.isEqualTo("{\"content\":\"a\"}");
	}

	@Test
	void aConcreteClassOfASealedTypeNeedsNoTypeId() {
		assertThat(this.converter.read("{\"number\":\"4711\"}".getBytes(StandardCharsets.UTF_8), Card.class))
			.isEqualTo(new Card("4711"));
	}

	@Test
	void anObjectThatABlockInitializesIsReadAsItsClass() {
		assertThat(readAs(new Bean() {
			{
				setName("a");
			}
		}, Bean.class)).extracting("name").isEqualTo("a");
	}

	@ParameterizedTest
	@MethodSource
	void aPayloadWhoseTypeIdsWouldBeMissingIsRefused(Object payload) {
		assertThatThrownBy(() -> this.converter.write(payload)).hasMessageContaining("type id")
			.hasMessageContaining("ParameterizedTypeReference");
	}

	static Stream<Object> aPayloadWhoseTypeIdsWouldBeMissingIsRefused() {
		return Stream.of(List.of(new Circle(1)), Map.of("a", new Circle(1)), new Wrapper<>(new Circle(1)),
				new Wrapper<>(List.of(new Circle(1))), arguments((Object) new Object[] { new Circle(1) }),
				Optional.of(new Circle(1)), List.of(Map.of("a", new Circle(1))));
	}

	@ParameterizedTest
	@MethodSource
	void aPayloadThatCannotBeReadAgainIsRefused(Object payload) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.converter.write(payload))
			.withMessageContaining("read")
			.withMessageNotContaining("4711");
		assertThatIllegalArgumentException().isThrownBy(() -> this.converter.write(payload));
	}

	static Stream<Object> aPayloadThatCannotBeReadAgainIsRefused() {
		return Stream.of(new GetterOnly("4711", 1), List.of("a", new GetterOnly("4711", 1)),
				Map.of("a", new GetterOnly("4711", 1)),
				arguments((Object) new GetterOnly[] { new GetterOnly("4711", 1) }),
				new Holder(new GetterOnly("4711", 1)), Optional.empty());
	}

	@Test
	void aPayloadIsReadAgainOncePerClass() {
		Counted.created = 0;
		Counted payload = new Counted("a");
		for (int n = 0; n < 5; n++) {
			this.converter.write(payload);
			this.converter.write(List.of(payload, payload));
		}
		assertThat(Counted.created).isEqualTo(2);
	}

	private Object readAs(Object payload, Type type) {
		return this.converter.read(this.converter.write(payload), type);
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class) })
	interface Shape {

	}

	@JsonTypeName("circle")
	record Circle(int radius) implements Shape {
	}

	@JsonTypeName("square")
	record Square(int side) implements Shape {
	}

	record Drawing(Shape first, List<Shape> others) {
	}

	record Wrapper<T>(T value) {
	}

	record Plain(String name) {
	}

	sealed interface Payment permits Card, Transfer, Cash {

	}

	record Card(String number) implements Payment {
	}

	sealed interface Transfer extends Payment permits Sepa {

	}

	record Sepa(String iban) implements Transfer {
	}

	enum Cash implements Payment {

		EURO

	}

	record Order(Payment payment, Optional<Payment> other) {
	}

	sealed interface Event permits OrderEvent, UserEvent {

	}

	sealed interface OrderEvent extends Event permits OrderEvent.Created {

		record Created(String id) implements OrderEvent {
		}

	}

	sealed interface UserEvent extends Event permits UserEvent.Created {

		record Created(String id) implements UserEvent {
		}

	}

	record Unwrapped(int amount, @JsonUnwrapped Card payment) {
	}

	static final class Undecided {

		@JsonTypeInfo(use = JsonTypeInfo.Id.NONE)
		@JsonDeserialize(using = CircleDeserializer.class)
		public Shape shape = new Circle(1);

		@Override
		public String toString() {
			return this.shape.toString();
		}

	}

	static final class CircleDeserializer extends ValueDeserializer<Shape> {

		@Override
		public Shape deserialize(JsonParser parser, DeserializationContext context) {
			return new Circle(context.readTree(parser).get("radius").intValue());
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, defaultImpl = Fallback.class)
	interface WithDefault {

	}

	record Fallback(String name) implements WithDefault {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, requireTypeIdForSubtypes = OptBoolean.FALSE)
	interface Relaxed {

	}

	record Lenient(String name) implements Relaxed {
	}

	record Audit(String what, Object data) {
	}

	record Details(Map<String, Object> values) {
	}

	record Envelope<T>(T body, Map<String, Object> headers) {
	}

	static final class PaymentSerializer extends ValueSerializer<Payment> {

		@Override
		public void serialize(Payment value, JsonGenerator generator, SerializationContext context) {
			generator.writeString(((Sepa) value).iban());
		}

	}

	static final class PaymentDeserializer extends ValueDeserializer<Payment> {

		@Override
		public Payment deserialize(JsonParser parser, DeserializationContext context) {
			return new Sepa(parser.getString());
		}

	}

	sealed interface Content permits Text, Image {

	}

	@JsonSerialize(using = TextSerializer.class)
	record Text(String value) implements Content {

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static Text of(String value) {
			return new Text(value);
		}

	}

	record Image(String url) implements Content {
	}

	record Note(@JsonDeserialize(as = Text.class) Content content) {
	}

	static final class TextSerializer extends ValueSerializer<Text> {

		@Override
		public void serialize(Text value, JsonGenerator generator, SerializationContext context) {
			generator.writeString(value.value());
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
	@JsonSubTypes(@JsonSubTypes.Type(Deduced.class))
	interface Guessed {

	}

	record Deduced(String name) implements Guessed {
	}

	enum Color {

		RED {
			@Override
			boolean isWarm() {
				return true;
			}
		};

		abstract boolean isWarm();

	}

	static class Bean {

		private String name = "";

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

	}

	static class GetterOnly {

		private final String name;

		GetterOnly(String name, int ignored) {
			this.name = name;
		}

		public String getName() {
			return this.name;
		}

	}

	record Holder(GetterOnly value) {
	}

	static final class Counted {

		static int created;

		private final String name;

		Counted(String name) {
			created++;
			this.name = name;
		}

		public String getName() {
			return this.name;
		}

		@JsonCreator
		static Counted of(@JsonProperty("name") String name) {
			return new Counted(name);
		}

	}

}
