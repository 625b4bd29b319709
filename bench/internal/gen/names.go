package gen

import (
	"slices"
	"strconv"
	"strings"
)

// universe is all classes of one jar: each may name any other.
type universe struct {
	seed  uint64
	names []string // binary names, as "org/example/Reader$Builder", ascending by package
}

// newUniverse names n classes, about 18 to a package as fat jars have them. The names of packages
// have so many parts, or 0: a few.
func newUniverse(n int, seed uint64, depth int) *universe {
	r := newRandom(seed, 0)
	taken := map[string]bool{}
	var packages []string
	for range n/18 + 1 {
		packages = append(packages, unique(taken, r.packageName(n/3000+3, depth)))
	}
	slices.Sort(packages)

	u := &universe{seed: seed, names: make([]string, 0, n)}
	for i, pkg := range packages {
		outer := ""
		for range n*(i+1)/len(packages) - len(u.names) {
			var name string
			switch {
			case outer != "" && r.percent(22):
				name = unique(taken, outer+"$"+strconv.Itoa(r.between(1, 6)))
			case outer != "" && r.percent(40):
				name = unique(taken, outer+"$"+r.className())
			default:
				name = unique(taken, pkg+"/"+r.className())
				outer = name
			}
			u.names = append(u.names, name)
		}
	}
	return u
}

// unique returns name, with a number behind it where it is taken.
func unique(taken map[string]bool, name string) string {
	try := name
	for i := 2; taken[try]; i++ {
		try = name + strconv.Itoa(i)
	}
	taken[try] = true
	return try
}

func (r random) packageName(vendors, depth int) string {
	v := r.n(vendors)
	parts := []string{domains[v%len(domains)], words[v*7%len(words)]}
	if depth == 0 {
		depth = r.between(4, 8)
	}
	for len(parts) < depth {
		parts = append(parts, r.word(words))
	}
	return strings.Join(parts[:depth], "/")
}

// className returns a simple name in camel case.
func (r random) className() string {
	var b strings.Builder
	for range r.between(1, 4) {
		b.WriteString(upper(r.word(words)))
	}
	if r.percent(60) {
		b.WriteString(r.word(roles))
	}
	return b.String()
}

// propertyName returns a name in camel case of words of the class.
func (c *class) propertyName() string {
	var b strings.Builder
	for range 1 + c.low(3) {
		w := c.subject[c.low(len(c.subject))]
		if b.Len() > 0 {
			w = upper(w)
		}
		b.WriteString(w)
	}
	return b.String()
}

// variableName returns the name of a variable of the type: few have one of their own.
func (c *class) variableName(descriptor string) string {
	switch {
	case descriptor == "I":
		return c.word(indexNames)
	case descriptor == listType:
		return "values"
	case c.percent(50):
		return c.word(variableNames)
	case descriptor[0] == 'L' && c.percent(70):
		name := descriptor[strings.LastIndexAny(descriptor, "/$")+1 : len(descriptor)-1]
		return strings.ToLower(name[:1]) + name[1:]
	}
	return c.properties[c.low(len(c.properties))].name
}

// message returns a text as stands in logs and exceptions.
func (c *class) message() string {
	var b strings.Builder
	b.WriteString(upper(c.subject[c.low(len(c.subject))]))
	for range c.low(9) {
		b.WriteByte(' ')
		if c.percent(40) {
			b.WriteString(c.word(links))
		} else {
			b.WriteString(c.subject[c.low(len(c.subject))])
		}
	}
	b.WriteString(c.word([]string{"", "", "", ": ", ".", " [", " = ", ": %s", " {}"}))
	return b.String()
}

// reference returns the name of a class that this one uses, often one it has used before: of its
// own family or package, of the platform, one of those that many use, or any.
func (c *class) reference() string {
	if len(c.used) > 0 && c.percent(76) {
		return c.used[c.low(len(c.used))]
	}
	name := c.newReference()
	c.used = append(c.used, name)
	return name
}

func (c *class) newReference() string {
	at := func(i int) string { return c.names[min(max(i, 0), len(c.names)-1)] }
	switch k := c.n(20); {
	case k < 6 && c.nested() != "":
		return c.outer()
	case k < 5:
		return at(c.at + c.between(-3, 3))
	case k < 11:
		return at(c.at + c.between(-9, 9))
	case k < 14:
		return platform[c.low(len(platform))]
	case k < 17:
		return runtimeTypes[c.low(len(runtimeTypes))]
	case k < 19:
		return c.names[c.n(min(len(c.names), 300))]
	}
	return c.names[c.n(len(c.names))]
}

// descriptor returns the descriptor of a type.
func (c *class) descriptor() string {
	switch k := c.n(20); {
	case k < 3:
		return "I"
	case k < 5:
		return "Z"
	case k < 6:
		return "J"
	case k < 7:
		return "D"
	case k < 11:
		return stringType
	case k < 13:
		return listType
	}
	return "L" + c.reference() + ";"
}

// signature returns the descriptor of a method, often one that is there already.
func (c *class) signature() string {
	if len(c.descriptors) > 0 && c.percent(50) {
		return c.descriptors[c.low(len(c.descriptors))]
	}
	var b strings.Builder
	b.WriteByte('(')
	for range c.low(4) {
		b.WriteString(c.descriptor())
	}
	b.WriteByte(')')
	switch k := c.n(10); {
	case k < 3:
		b.WriteByte('V')
	case k < 5:
		b.WriteString("L" + c.name + ";")
	default:
		b.WriteString(c.descriptor())
	}
	c.descriptors = append(c.descriptors, b.String())
	return b.String()
}

// splitWords takes a name in camel case apart.
func splitWords(name string) []string {
	var list []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] < 'a' && name[i-1] >= 'a' {
			if w := strings.ToLower(strings.Trim(name[start:i], "$0123456789")); w != "" {
				list = append(list, w)
			}
			start = i
		}
	}
	return list
}

func upper(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

const (
	stringType = "Ljava/lang/String;"
	bytesType  = "Lorg/wire/runtime/ByteString;"
	listType   = "Ljava/util/List;"
)

var (
	indexNames    = strings.Fields("index i value other count size")
	variableNames = strings.Fields("value other builder e result input key name x0 x1 request response context values output")
	objectMethods = strings.Fields("equals hashCode toString close size isEmpty")
	exceptions    = strings.Fields(`java/lang/NullPointerException java/lang/IllegalArgumentException java/lang/IllegalStateException
		java/io/IOException java/lang/UnsupportedOperationException org/wire/runtime/InvalidMessageException`)
	// common are methods that everybody calls.
	common = strings.Fields(`get of create valueOf append add size put iterator next hasNext equals hashCode toString build
		checkNotNull checkArgument newBuilder getDefaultInstance isEmpty contains remove close write accept apply getName
		getMessage getClass format run copyOf getKey getValue entrySet length`)
	standardCalls = strings.Fields("clear onBuilt getUnknownFields maybeForceBuilderInitialization mergeUnknownFields")
	runtimeTypes  = strings.Fields(`org/wire/runtime/GeneratedMessage org/wire/runtime/GeneratedMessage$Builder
		org/wire/runtime/Message org/wire/runtime/CodedInputStream org/wire/runtime/CodedOutputStream org/wire/runtime/Message$Builder
		org/wire/runtime/ExtensionRegistryLite org/wire/runtime/Descriptors$Descriptor org/wire/runtime/Descriptors$FieldDescriptor
		org/wire/runtime/ByteString org/wire/runtime/UnknownFieldSet org/wire/runtime/AbstractMessage org/base/common/ImmutableList
		org/base/common/ImmutableMap org/base/common/Preconditions org/base/common/Function org/log/Logger`)
	// standardMethods are those that generated code has in every class; % is the class.
	standardMethods = []struct{ name, descriptor, throws string }{
		{"getDescriptor", "()Lorg/wire/runtime/Descriptors$Descriptor;", ""},
		{"internalGetFieldAccessorTable", "()Lorg/wire/runtime/GeneratedMessage$FieldAccessorTable;", ""},
		{"clear", "()L%;", ""},
		{"getDescriptorForType", "()Lorg/wire/runtime/Descriptors$Descriptor;", ""},
		{"getDefaultInstanceForType", "()L%;", ""},
		{"build", "()L%;", ""},
		{"buildPartial", "()L%;", ""},
		{"clone", "()L%;", ""},
		{"setField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;Ljava/lang/Object;)L%;", ""},
		{"clearField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;)L%;", ""},
		{"setRepeatedField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;ILjava/lang/Object;)L%;", ""},
		{"addRepeatedField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;Ljava/lang/Object;)L%;", ""},
		{"mergeFrom", "(Lorg/wire/runtime/Message;)L%;", ""},
		{"mergeFrom", "(L%;)L%;", ""},
		{"isInitialized", "()Z", ""},
		{"mergeFrom", "(Lorg/wire/runtime/CodedInputStream;Lorg/wire/runtime/ExtensionRegistryLite;)L%;", "java/io/IOException"},
		{"onChanged", "()V", ""},
		{"parseFrom", "(Lorg/wire/runtime/ByteString;)L%;", "org/wire/runtime/InvalidMessageException"},
		{"parseFrom", "(Lorg/wire/runtime/ByteString;Lorg/wire/runtime/ExtensionRegistryLite;)L%;", "org/wire/runtime/InvalidMessageException"},
		{"parseFrom", "(Lorg/wire/runtime/CodedInputStream;)L%;", "java/io/IOException"},
		{"parseDelimitedFrom", "(Ljava/io/InputStream;)L%;", "java/io/IOException"},
		{"writeTo", "(Lorg/wire/runtime/CodedOutputStream;)V", "java/io/IOException"},
		{"getSerializedSize", "()I", ""},
		{"equals", "(Ljava/lang/Object;)Z", ""},
		{"hashCode", "()I", ""},
		{"newBuilder", "()L%$Builder;", ""},
		{"newBuilder", "(L%;)L%$Builder;", ""},
		{"toBuilder", "()L%$Builder;", ""},
		{"newBuilderForType", "()L%$Builder;", ""},
		{"newBuilderForType", "(Lorg/wire/runtime/GeneratedMessage$BuilderParent;)L%$Builder;", ""},
		{"setUnknownFields", "(Lorg/wire/runtime/UnknownFieldSet;)L%;", ""},
		{"mergeUnknownFields", "(Lorg/wire/runtime/UnknownFieldSet;)L%;", ""},
		{"getParserForType", "()Lorg/wire/runtime/Parser;", ""},
		{"clear", "()Lorg/wire/runtime/Message$Builder;", ""},
		{"clone", "()Lorg/wire/runtime/Message$Builder;", ""},
		{"mergeFrom", "(Lorg/wire/runtime/Message;)Lorg/wire/runtime/Message$Builder;", ""},
		{"mergeFrom", "(Lorg/wire/runtime/CodedInputStream;Lorg/wire/runtime/ExtensionRegistryLite;)Lorg/wire/runtime/Message$Builder;", "java/io/IOException"},
		{"setField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;Ljava/lang/Object;)Lorg/wire/runtime/Message$Builder;", ""},
		{"clearField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;)Lorg/wire/runtime/Message$Builder;", ""},
		{"setRepeatedField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;ILjava/lang/Object;)Lorg/wire/runtime/Message$Builder;", ""},
		{"addRepeatedField", "(Lorg/wire/runtime/Descriptors$FieldDescriptor;Ljava/lang/Object;)Lorg/wire/runtime/Message$Builder;", ""},
		{"setUnknownFields", "(Lorg/wire/runtime/UnknownFieldSet;)Lorg/wire/runtime/Message$Builder;", ""},
		{"getDefaultInstanceForType", "()Lorg/wire/runtime/Message;", ""},
		{"build", "()Lorg/wire/runtime/Message;", ""},
		{"buildPartial", "()Lorg/wire/runtime/Message;", ""},
		{"clone", "()Ljava/lang/Object;", "java/lang/CloneNotSupportedException"},
	}
	platform = strings.Fields(`java/lang/Object java/lang/String java/lang/Class java/lang/Integer java/lang/Long
	java/lang/Boolean java/lang/Throwable java/lang/Exception java/lang/RuntimeException java/lang/Iterable
	java/lang/IllegalArgumentException java/lang/IllegalStateException java/lang/Comparable java/lang/Runnable
	java/lang/UnsupportedOperationException java/util/List java/util/ArrayList java/util/Map java/util/HashMap
	java/util/Set java/util/Collection java/util/Collections java/util/Iterator java/util/Optional java/util/Arrays
	java/util/Objects java/util/function/Function java/util/function/Supplier java/util/function/Consumer
	java/util/concurrent/Executor java/util/concurrent/TimeUnit java/util/concurrent/ConcurrentHashMap
	java/util/concurrent/atomic/AtomicReference java/io/IOException java/io/InputStream java/io/OutputStream
	java/io/Serializable java/nio/ByteBuffer java/nio/charset/Charset java/time/Duration java/util/logging/Logger`)
	domains = []string{"com", "org", "net", "io", "dev"}
	roles   = strings.Fields(`Factory Builder Handler Provider Impl Exception Listener Context Options Helper
		Service Manager Adapter Parser Writer Reader Iterator Config Filter Proto Visitor Type Key`)
	verbs = strings.Fields(`get set is has add remove create build parse read write find check update init
		resolve convert register apply visit load store merge clear compute to from with`)
	links = strings.Fields("the of for in to is not with must be from at by was no a on and or")
	words = strings.Fields(`access account action active address agent alias allocator anchor api archive
		argument array asset async attribute audit auth backend balance base batch binary binding block body
		boundary branch bridge broker bucket buffer bundle cache call cancel capacity catalog cell channel
		check child chunk client clock cluster code codec collection column command common compact
		compiler component condition config connection consumer container content context control cookie core
		count credential current cursor data date decoder delegate descriptor device digest directory
		discovery dispatch document domain driver duration dynamic edge element encoder endpoint engine entity
		entry error event exchange executor expression extension factory feature field file filter flag
		flow format frame function future gateway generic global graph grid group handle hash header health
		heap host http id image import index input instance integer interceptor internal interval
		item job json key label language layer layout lease length level library lifecycle limit line link list
		load local location lock log logger loop mapping marker mask match matrix media member memory
		message metadata method metric mode model module monitor mutable name network node notification
		number object observer offset operation option order output owner packet page parameter parent
		partition password path pattern payload peer permission pipeline platform plugin point policy pool port
		prefix primitive priority process producer profile project property protocol provider proxy publish
		quality query queue quota range rate record recovery reference reflection region registry relation
		remote replica report repository request resolver resource response result retry role root route row
		rule runtime sample scale schedule schema scope script search secret section segment select sequence
		server service session shard shared signal signature size snapshot socket sort source span stack stage
		state status storage stream string strategy subject subscription suffix symbol sync syntax system
		table target task template tenant text thread throttle ticket time timeout token topic trace tracker
		traffic transaction transform transport tree trigger type unit update upload user util validation value
		variable vector version view visitor watch weight window worker wrapper writer xml yield zone`)
)
