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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

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
		}), arguments(List.of(new Plain("a")), new ParameterizedTypeReference<List<Plain>>() {
		}), arguments(new Wrapper<>(new Plain("a")), new ParameterizedTypeReference<Wrapper<Plain>>() {
		}), arguments(List.of(new Deduced("a")), new ParameterizedTypeReference<List<Guessed>>() {
		}), arguments(Collections.unmodifiableMap(Map.of("a", Set.of(1))),
				new ParameterizedTypeReference<Map<String, Set<Integer>>>() {
				}), arguments(Arrays.asList("a", null), new ParameterizedTypeReference<List<String>>() {
				}), arguments(Color.RED, new ParameterizedTypeReference<Color>() {
				}), arguments(Path.of("/a"), new ParameterizedTypeReference<Path>() {
				}), arguments(UUID.randomUUID(), new ParameterizedTypeReference<UUID>() {
				}), arguments(Instant.EPOCH, new ParameterizedTypeReference<Instant>() {
				}), arguments(new BigDecimal("1.5"), new ParameterizedTypeReference<BigDecimal>() {
				}), arguments("text", new ParameterizedTypeReference<String>() {
				}));
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
