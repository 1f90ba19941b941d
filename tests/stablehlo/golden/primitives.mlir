// identity bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<2xi1> {reel.name = "x0"}) -> (tensor<2xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    "func.return"(%arg0) : (tensor<2xi1>) -> ()
  }
}
// stop_gradient bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<2xi1> {reel.name = "x0"}) -> (tensor<2xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    "func.return"(%arg0) : (tensor<2xi1>) -> ()
  }
}
// neg i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<26xi8> {reel.name = "x0"}) -> (tensor<26xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.negate"(%arg0) : (tensor<26xi8>) -> tensor<26xi8>
    "func.return"(%0) : (tensor<26xi8>) -> ()
  }
}
// abs i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<26xi8> {reel.name = "x0"}) -> (tensor<26xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.abs"(%arg0) : (tensor<26xi8>) -> tensor<26xi8>
    "func.return"(%0) : (tensor<26xi8>) -> ()
  }
}
// sign i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<26xi8> {reel.name = "x0"}) -> (tensor<26xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.sign"(%arg0) : (tensor<26xi8>) -> tensor<26xi8>
    "func.return"(%0) : (tensor<26xi8>) -> ()
  }
}
// floor f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.floor"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// ceil f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.ceil"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// round f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.round_nearest_even"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// trunc f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %1 = "stablehlo.compare"(%arg0, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xi1>
    %2 = "stablehlo.floor"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    %3 = "stablehlo.ceil"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    %4 = "stablehlo.select"(%1, %3, %2) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%4) : (tensor<55xf32>) -> ()
  }
}
// sqrt f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.sqrt"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// rsqrt f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.rsqrt"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// cbrt f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.cbrt"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// exp f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.exponential"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// exp2 f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<2.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %1 = "stablehlo.power"(%0, %arg0) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%1) : (tensor<55xf32>) -> ()
  }
}
// expm1 f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.exponential_minus_one"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// log f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.log"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// log2 f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<1.442695> : tensor<55xf32>}> : () -> tensor<55xf32>
    %1 = "stablehlo.log"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    %2 = "stablehlo.multiply"(%1, %0) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%2) : (tensor<55xf32>) -> ()
  }
}
// log10 f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0.4342945> : tensor<55xf32>}> : () -> tensor<55xf32>
    %1 = "stablehlo.log"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    %2 = "stablehlo.multiply"(%1, %0) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%2) : (tensor<55xf32>) -> ()
  }
}
// log1p f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.log_plus_one"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// tanh f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.tanh"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// sigmoid f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.logistic"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// erf f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.erf"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// erfc f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.erfc"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// erf_inv f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.erf_inv"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// erfc_inv f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %1 = "stablehlo.compare"(%arg0, %0) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xi1>
    %2 = "stablehlo.constant"() <{value = dense<2.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %3 = "stablehlo.subtract"(%2, %arg0) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %4 = "stablehlo.select"(%1, %3, %arg0) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %5 = "stablehlo.constant"() <{value = dense<0.6931472> : tensor<55xf32>}> : () -> tensor<55xf32>
    %6 = "stablehlo.log"(%4) : (tensor<55xf32>) -> tensor<55xf32>
    %7 = "stablehlo.subtract"(%6, %5) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %8 = "stablehlo.constant"() <{value = dense<-2.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %9 = "stablehlo.multiply"(%8, %7) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %10 = "stablehlo.sqrt"(%9) : (tensor<55xf32>) -> tensor<55xf32>
    %11 = "stablehlo.constant"() <{value = dense<0.010328> : tensor<55xf32>}> : () -> tensor<55xf32>
    %12 = "stablehlo.multiply"(%10, %11) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.802853> : tensor<55xf32>}> : () -> tensor<55xf32>
    %14 = "stablehlo.add"(%13, %12) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %15 = "stablehlo.multiply"(%10, %14) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %16 = "stablehlo.constant"() <{value = dense<2.515517> : tensor<55xf32>}> : () -> tensor<55xf32>
    %17 = "stablehlo.add"(%16, %15) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %18 = "stablehlo.constant"() <{value = dense<0.001308> : tensor<55xf32>}> : () -> tensor<55xf32>
    %19 = "stablehlo.multiply"(%10, %18) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %20 = "stablehlo.constant"() <{value = dense<0.189269> : tensor<55xf32>}> : () -> tensor<55xf32>
    %21 = "stablehlo.add"(%20, %19) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %22 = "stablehlo.multiply"(%10, %21) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %23 = "stablehlo.constant"() <{value = dense<1.432788> : tensor<55xf32>}> : () -> tensor<55xf32>
    %24 = "stablehlo.add"(%23, %22) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %25 = "stablehlo.multiply"(%10, %24) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %26 = "stablehlo.constant"() <{value = dense<1.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %27 = "stablehlo.add"(%26, %25) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %28 = "stablehlo.constant"() <{value = dense<0.70710677> : tensor<55xf32>}> : () -> tensor<55xf32>
    %29 = "stablehlo.divide"(%17, %27) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %30 = "stablehlo.subtract"(%10, %29) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %31 = "stablehlo.multiply"(%30, %28) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %32 = "chlo.erfc"(%31) : (tensor<55xf32>) -> tensor<55xf32>
    %33 = "stablehlo.subtract"(%32, %4) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %34 = "stablehlo.multiply"(%31, %31) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %35 = "stablehlo.negate"(%34) : (tensor<55xf32>) -> tensor<55xf32>
    %36 = "stablehlo.exponential"(%35) : (tensor<55xf32>) -> tensor<55xf32>
    %37 = "stablehlo.constant"() <{value = dense<1.1283792> : tensor<55xf32>}> : () -> tensor<55xf32>
    %38 = "stablehlo.multiply"(%37, %36) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %39 = "stablehlo.multiply"(%31, %33) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %40 = "stablehlo.subtract"(%38, %39) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %41 = "stablehlo.divide"(%33, %40) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %42 = "stablehlo.add"(%31, %41) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %43 = "chlo.erfc"(%42) : (tensor<55xf32>) -> tensor<55xf32>
    %44 = "stablehlo.subtract"(%43, %4) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %45 = "stablehlo.multiply"(%42, %42) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %46 = "stablehlo.negate"(%45) : (tensor<55xf32>) -> tensor<55xf32>
    %47 = "stablehlo.exponential"(%46) : (tensor<55xf32>) -> tensor<55xf32>
    %48 = "stablehlo.constant"() <{value = dense<1.1283792> : tensor<55xf32>}> : () -> tensor<55xf32>
    %49 = "stablehlo.multiply"(%48, %47) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %50 = "stablehlo.multiply"(%42, %44) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %51 = "stablehlo.subtract"(%49, %50) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %52 = "stablehlo.divide"(%44, %51) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %53 = "stablehlo.add"(%42, %52) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %54 = "stablehlo.constant"() <{value = dense<1.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %55 = "stablehlo.subtract"(%54, %4) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %56 = "chlo.erf_inv"(%55) : (tensor<55xf32>) -> tensor<55xf32>
    %57 = "stablehlo.constant"() <{value = dense<0.5> : tensor<55xf32>}> : () -> tensor<55xf32>
    %58 = "stablehlo.compare"(%4, %57) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xi1>
    %59 = "stablehlo.select"(%58, %56, %53) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %60 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<55xf32>}> : () -> tensor<55xf32>
    %61 = "stablehlo.constant"() <{value = dense<0.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %62 = "stablehlo.compare"(%4, %61) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xi1>
    %63 = "stablehlo.select"(%62, %60, %59) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %64 = "stablehlo.negate"(%63) : (tensor<55xf32>) -> tensor<55xf32>
    %65 = "stablehlo.select"(%1, %64, %63) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %66 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<55xf32>}> : () -> tensor<55xf32>
    %67 = "stablehlo.constant"() <{value = dense<0.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %68 = "stablehlo.compare"(%4, %67) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xi1>
    %69 = "stablehlo.select"(%68, %66, %65) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%69) : (tensor<55xf32>) -> ()
  }
}
// lgamma f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.lgamma"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    %1 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<55xf32>}> : () -> tensor<55xf32>
    %2 = "stablehlo.constant"() <{value = dense<0x7F800000> : tensor<55xf32>}> : () -> tensor<55xf32>
    %3 = "stablehlo.abs"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    %4 = "stablehlo.compare"(%3, %2) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xi1>
    %5 = "stablehlo.select"(%4, %1, %0) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%5) : (tensor<55xf32>) -> ()
  }
}
// digamma f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %1 = "stablehlo.compare"(%arg0, %0) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xi1>
    %2 = "chlo.digamma"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    %3 = "stablehlo.constant"() <{value = dense<1.0> : tensor<55xf32>}> : () -> tensor<55xf32>
    %4 = "stablehlo.divide"(%3, %arg0) : (tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    %5 = "stablehlo.negate"(%4) : (tensor<55xf32>) -> tensor<55xf32>
    %6 = "stablehlo.select"(%1, %5, %2) : (tensor<55xi1>, tensor<55xf32>, tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%6) : (tensor<55xf32>) -> ()
  }
}
// sin f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.sine"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// cos f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.cosine"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// asin f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.asin"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// acos f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.acos"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// atan f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.atan"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// sinh f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.sinh"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// cosh f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.cosh"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// asinh f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.asinh"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// acosh f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.acosh"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// atanh f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<55xf32> {reel.name = "x0"}) -> (tensor<55xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.atanh"(%arg0) : (tensor<55xf32>) -> tensor<55xf32>
    "func.return"(%0) : (tensor<55xf32>) -> ()
  }
}
// not bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<2xi1> {reel.name = "x0"}) -> (tensor<2xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.not"(%arg0) : (tensor<2xi1>) -> tensor<2xi1>
    "func.return"(%0) : (tensor<2xi1>) -> ()
  }
}
// cast from c64
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<complex<f32>> {reel.name = "x0"}, %arg1: tensor<3x7xcomplex<f32>> {reel.name = "x1"}, %arg2: tensor<0xcomplex<f32>> {reel.name = "x2"}, %arg3: tensor<81xcomplex<f32>> {reel.name = "x3"}, %arg4: tensor<1000xcomplex<f32>> {reel.name = "x4"}) -> (tensor<complex<f32>> {reel.name = "result0"}, tensor<3x7xcomplex<f32>> {reel.name = "result1"}, tensor<0xcomplex<f32>> {reel.name = "result2"}, tensor<81xcomplex<f32>> {reel.name = "result3"}, tensor<1000xcomplex<f32>> {reel.name = "result4"}, tensor<complex<f64>> {reel.name = "result5"}, tensor<3x7xcomplex<f64>> {reel.name = "result6"}, tensor<0xcomplex<f64>> {reel.name = "result7"}, tensor<81xcomplex<f64>> {reel.name = "result8"}, tensor<1000xcomplex<f64>> {reel.name = "result9"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<(0.0, 0.0)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f32>>) -> tensor<0xcomplex<f32>>
    %2 = "stablehlo.convert"(%arg0) : (tensor<complex<f32>>) -> tensor<complex<f64>>
    %3 = "stablehlo.convert"(%arg1) : (tensor<3x7xcomplex<f32>>) -> tensor<3x7xcomplex<f64>>
    %4 = "stablehlo.constant"() <{value = dense<(0.0, 0.0)> : tensor<complex<f64>>}> : () -> tensor<complex<f64>>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<complex<f64>>) -> tensor<0xcomplex<f64>>
    %6 = "stablehlo.convert"(%arg3) : (tensor<81xcomplex<f32>>) -> tensor<81xcomplex<f64>>
    %7 = "stablehlo.convert"(%arg4) : (tensor<1000xcomplex<f32>>) -> tensor<1000xcomplex<f64>>
    "func.return"(%arg0, %arg1, %1, %arg3, %arg4, %2, %3, %5, %6, %7) : (tensor<complex<f32>>, tensor<3x7xcomplex<f32>>, tensor<0xcomplex<f32>>, tensor<81xcomplex<f32>>, tensor<1000xcomplex<f32>>, tensor<complex<f64>>, tensor<3x7xcomplex<f64>>, tensor<0xcomplex<f64>>, tensor<81xcomplex<f64>>, tensor<1000xcomplex<f64>>) -> ()
  }
}
// bitcast from i8
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i8> {reel.name = "x0"}, %arg1: tensor<3x7xi8> {reel.name = "x1"}, %arg2: tensor<0xi8> {reel.name = "x2"}, %arg3: tensor<26xi8> {reel.name = "x3"}) -> (tensor<i8> {reel.name = "result0"}, tensor<3x7xi8> {reel.name = "result1"}, tensor<0xi8> {reel.name = "result2"}, tensor<26xi8> {reel.name = "result3"}, tensor<ui8> {reel.name = "result4"}, tensor<3x7xui8> {reel.name = "result5"}, tensor<0xui8> {reel.name = "result6"}, tensor<26xui8> {reel.name = "result7"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<i8>) -> tensor<i8>
    %1 = "stablehlo.bitcast_convert"(%arg1) : (tensor<3x7xi8>) -> tensor<3x7xi8>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i8>}> : () -> tensor<i8>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<i8>) -> tensor<0xi8>
    %4 = "stablehlo.bitcast_convert"(%arg3) : (tensor<26xi8>) -> tensor<26xi8>
    %5 = "stablehlo.bitcast_convert"(%arg0) : (tensor<i8>) -> tensor<ui8>
    %6 = "stablehlo.bitcast_convert"(%arg1) : (tensor<3x7xi8>) -> tensor<3x7xui8>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64>}> : (tensor<ui8>) -> tensor<0xui8>
    %9 = "stablehlo.bitcast_convert"(%arg3) : (tensor<26xi8>) -> tensor<26xui8>
    "func.return"(%0, %1, %3, %4, %5, %6, %8, %9) : (tensor<i8>, tensor<3x7xi8>, tensor<0xi8>, tensor<26xi8>, tensor<ui8>, tensor<3x7xui8>, tensor<0xui8>, tensor<26xui8>) -> ()
  }
}
// add i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi8>
    "func.return"(%0) : (tensor<676xi8>) -> ()
  }
}
// sub i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.subtract"(%arg0, %arg1) : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi8>
    "func.return"(%0) : (tensor<676xi8>) -> ()
  }
}
// mul i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi8>
    "func.return"(%0) : (tensor<676xi8>) -> ()
  }
}
// div f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<3025xf32> {reel.name = "x0"}, %arg1: tensor<3025xf32> {reel.name = "x1"}) -> (tensor<3025xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.divide"(%arg0, %arg1) : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xf32>
    "func.return"(%0) : (tensor<3025xf32>) -> ()
  }
}
// rem f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<3025xf32> {reel.name = "x0"}, %arg1: tensor<3025xf32> {reel.name = "x1"}) -> (tensor<3025xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xf32>
    "func.return"(%0) : (tensor<3025xf32>) -> ()
  }
}
// pow f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<3025xf32> {reel.name = "x0"}, %arg1: tensor<3025xf32> {reel.name = "x1"}) -> (tensor<3025xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<3025xf32>}> : () -> tensor<3025xf32>
    %1 = "stablehlo.compare"(%arg0, %0) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xi1>
    %2 = "stablehlo.constant"() <{value = dense<0.0> : tensor<3025xf32>}> : () -> tensor<3025xf32>
    %3 = "stablehlo.compare"(%arg1, %2) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xi1>
    %4 = "stablehlo.or"(%3, %1) : (tensor<3025xi1>, tensor<3025xi1>) -> tensor<3025xi1>
    %5 = "stablehlo.power"(%arg0, %arg1) : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xf32>
    %6 = "stablehlo.select"(%4, %0, %5) : (tensor<3025xi1>, tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xf32>
    "func.return"(%6) : (tensor<3025xf32>) -> ()
  }
}
// atan2 f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<3025xf32> {reel.name = "x0"}, %arg1: tensor<3025xf32> {reel.name = "x1"}) -> (tensor<3025xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.atan2"(%arg0, %arg1) : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xf32>
    "func.return"(%0) : (tensor<3025xf32>) -> ()
  }
}
// max i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.maximum"(%arg0, %arg1) : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi8>
    "func.return"(%0) : (tensor<676xi8>) -> ()
  }
}
// min i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.minimum"(%arg0, %arg1) : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi8>
    "func.return"(%0) : (tensor<676xi8>) -> ()
  }
}
// next_after f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<3025xf32> {reel.name = "x0"}, %arg1: tensor<3025xf32> {reel.name = "x1"}) -> (tensor<3025xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.next_after"(%arg0, %arg1) : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xf32>
    "func.return"(%0) : (tensor<3025xf32>) -> ()
  }
}
// and bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<4xi1> {reel.name = "x0"}, %arg1: tensor<4xi1> {reel.name = "x1"}) -> (tensor<4xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.and"(%arg0, %arg1) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    "func.return"(%0) : (tensor<4xi1>) -> ()
  }
}
// or bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<4xi1> {reel.name = "x0"}, %arg1: tensor<4xi1> {reel.name = "x1"}) -> (tensor<4xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.or"(%arg0, %arg1) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    "func.return"(%0) : (tensor<4xi1>) -> ()
  }
}
// xor bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<4xi1> {reel.name = "x0"}, %arg1: tensor<4xi1> {reel.name = "x1"}) -> (tensor<4xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.xor"(%arg0, %arg1) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    "func.return"(%0) : (tensor<4xi1>) -> ()
  }
}
// shift_left u8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xui8> {reel.name = "x0"}, %arg1: tensor<676xui8> {reel.name = "x1"}) -> (tensor<676xui8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<676xui8>}> : () -> tensor<676xui8>
    %1 = "stablehlo.constant"() <{value = dense<8> : tensor<676xui8>}> : () -> tensor<676xui8>
    %2 = "stablehlo.compare"(%arg1, %1) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>}> : (tensor<676xui8>, tensor<676xui8>) -> tensor<676xi1>
    %3 = "stablehlo.select"(%2, %arg1, %0) : (tensor<676xi1>, tensor<676xui8>, tensor<676xui8>) -> tensor<676xui8>
    %4 = "stablehlo.shift_left"(%arg0, %3) : (tensor<676xui8>, tensor<676xui8>) -> tensor<676xui8>
    %5 = "stablehlo.select"(%2, %4, %0) : (tensor<676xi1>, tensor<676xui8>, tensor<676xui8>) -> tensor<676xui8>
    "func.return"(%5) : (tensor<676xui8>) -> ()
  }
}
// shift_right u8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xui8> {reel.name = "x0"}, %arg1: tensor<676xui8> {reel.name = "x1"}) -> (tensor<676xui8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<676xui8>}> : () -> tensor<676xui8>
    %1 = "stablehlo.constant"() <{value = dense<8> : tensor<676xui8>}> : () -> tensor<676xui8>
    %2 = "stablehlo.compare"(%arg1, %1) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>}> : (tensor<676xui8>, tensor<676xui8>) -> tensor<676xi1>
    %3 = "stablehlo.select"(%2, %arg1, %0) : (tensor<676xi1>, tensor<676xui8>, tensor<676xui8>) -> tensor<676xui8>
    %4 = "stablehlo.shift_right_logical"(%arg0, %3) : (tensor<676xui8>, tensor<676xui8>) -> tensor<676xui8>
    %5 = "stablehlo.select"(%2, %4, %0) : (tensor<676xi1>, tensor<676xui8>, tensor<676xui8>) -> tensor<676xui8>
    "func.return"(%5) : (tensor<676xui8>) -> ()
  }
}
// equal bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<4xi1> {reel.name = "x0"}, %arg1: tensor<4xi1> {reel.name = "x1"}) -> (tensor<4xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.compare"(%arg0, %arg1) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>}> : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    "func.return"(%0) : (tensor<4xi1>) -> ()
  }
}
// not_equal bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<4xi1> {reel.name = "x0"}, %arg1: tensor<4xi1> {reel.name = "x1"}) -> (tensor<4xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.compare"(%arg0, %arg1) <{comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>}> : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    "func.return"(%0) : (tensor<4xi1>) -> ()
  }
}
// less i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.compare"(%arg0, %arg1) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi1>
    "func.return"(%0) : (tensor<676xi1>) -> ()
  }
}
// less_equal i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.compare"(%arg0, %arg1) <{comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi1>
    "func.return"(%0) : (tensor<676xi1>) -> ()
  }
}
// greater i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.compare"(%arg0, %arg1) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi1>
    "func.return"(%0) : (tensor<676xi1>) -> ()
  }
}
// greater_equal i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<676xi8> {reel.name = "x0"}, %arg1: tensor<676xi8> {reel.name = "x1"}) -> (tensor<676xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.compare"(%arg0, %arg1) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<676xi8>, tensor<676xi8>) -> tensor<676xi1>
    "func.return"(%0) : (tensor<676xi1>) -> ()
  }
}
// zeta f32 edges
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<529xf32> {reel.name = "x0"}, %arg1: tensor<529xf32> {reel.name = "x1"}) -> (tensor<529xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.zeta"(%arg0, %arg1) : (tensor<529xf32>, tensor<529xf32>) -> tensor<529xf32>
    "func.return"(%0) : (tensor<529xf32>) -> ()
  }
}
// polygamma f32 edges
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<529xf32> {reel.name = "x0"}, %arg1: tensor<529xf32> {reel.name = "x1"}) -> (tensor<529xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "chlo.polygamma"(%arg0, %arg1) : (tensor<529xf32>, tensor<529xf32>) -> tensor<529xf32>
    "func.return"(%0) : (tensor<529xf32>) -> ()
  }
}
// select bool special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<4xi1> {reel.name = "x0"}, %arg1: tensor<4xi1> {reel.name = "x1"}, %arg2: tensor<4xi1> {reel.name = "x2"}) -> (tensor<4xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    "func.return"(%0) : (tensor<4xi1>) -> ()
  }
}
// complex f32 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<3025xf32> {reel.name = "x0"}, %arg1: tensor<3025xf32> {reel.name = "x1"}) -> (tensor<3025xcomplex<f32>> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.complex"(%arg0, %arg1) : (tensor<3025xf32>, tensor<3025xf32>) -> tensor<3025xcomplex<f32>>
    "func.return"(%0) : (tensor<3025xcomplex<f32>>) -> ()
  }
}
// real c64 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<81xcomplex<f32>> {reel.name = "x0"}) -> (tensor<81xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.real"(%arg0) : (tensor<81xcomplex<f32>>) -> tensor<81xf32>
    "func.return"(%0) : (tensor<81xf32>) -> ()
  }
}
// imag c64 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<81xcomplex<f32>> {reel.name = "x0"}) -> (tensor<81xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.imag"(%arg0) : (tensor<81xcomplex<f32>>) -> tensor<81xf32>
    "func.return"(%0) : (tensor<81xf32>) -> ()
  }
}
// reduce_sum i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<26xi8> {reel.name = "x0"}) -> (tensor<i8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i8>}> : () -> tensor<i8>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 0>}> ({
     ^bb0(%2: tensor<i8>, %3: tensor<i8>):
      %4 = "stablehlo.add"(%2, %3) : (tensor<i8>, tensor<i8>) -> tensor<i8>
      "stablehlo.return"(%4) : (tensor<i8>) -> ()
    }) : (tensor<26xi8>, tensor<i8>) -> tensor<i8>
    "func.return"(%1) : (tensor<i8>) -> ()
  }
}
// reduce_max bool[] axes 
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i1> {reel.name = "x0"}) -> (tensor<i1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64>}> ({
     ^bb0(%2: tensor<i1>, %3: tensor<i1>):
      %4 = "stablehlo.or"(%2, %3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%4) : (tensor<i1>) -> ()
    }) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "func.return"(%1) : (tensor<i1>) -> ()
  }
}
// reduce_min bool[] axes 
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i1> {reel.name = "x0"}) -> (tensor<i1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64>}> ({
     ^bb0(%2: tensor<i1>, %3: tensor<i1>):
      %4 = "stablehlo.and"(%2, %3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%4) : (tensor<i1>) -> ()
    }) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    "func.return"(%1) : (tensor<i1>) -> ()
  }
}
// reduce_prod i8 special values
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<26xi8> {reel.name = "x0"}) -> (tensor<i8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i8>}> : () -> tensor<i8>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 0>}> ({
     ^bb0(%2: tensor<i8>, %3: tensor<i8>):
      %4 = "stablehlo.multiply"(%2, %3) : (tensor<i8>, tensor<i8>) -> tensor<i8>
      "stablehlo.return"(%4) : (tensor<i8>) -> ()
    }) : (tensor<26xi8>, tensor<i8>) -> tensor<i8>
    "func.return"(%1) : (tensor<i8>) -> ()
  }
}
// constant i8
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main() -> (tensor<i8> {reel.name = "result0"}, tensor<0xi8> {reel.name = "result1"}, tensor<1xi8> {reel.name = "result2"}, tensor<3x7xi8> {reel.name = "result3"}, tensor<1000xi8> {reel.name = "result4"}, tensor<26xi8> {reel.name = "result5"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i8>}> : () -> tensor<i8>
    %1 = "stablehlo.constant"() <{value = dense<> : tensor<0xi8>}> : () -> tensor<0xi8>
    %2 = "stablehlo.constant"() <{value = dense<-2> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "stablehlo.constant"() <{value = dense<[[0, 1, -1, 0, -1, 2, -2], [-1, 2, -1, -2, 0, 2, -2], [2, 1, -1, 0, -2, 0, -1]]> : tensor<3x7xi8>}> : () -> tensor<3x7xi8>
    %4 = "stablehlo.constant"() <{value = dense<"0x000101020000FF02FE0000000101000102020001020001FF02FFFF01000100010101000202FE01FF0202FF00FE00FF02FFFEFF02FFFF000201000202FFFFFE0102FFFE0101FE0002FF00FE010002010002FFFF010000FF000002FF0102020002FF00000202FE000000FE000002FFFE01FF02FE0002FF00FF00010000FFFEFEFE02020000FF02FEFF00020001020101FF00020102FEFE00FF0202020100000000FFFEFF00FE010100FF000001FF000002000000FEFFFEFE0000FE000001FF0000000100FF01020000FE0000FF010001FE00FE000002FE000001FF00FEFE01000102FEFEFE010000FF0000FEFEFF00020102FF0000000000FE0000010202010202FE0202020200010000000101FE0202FF0000000002FE00FFFF000101FEFF00FF00FFFF02020202FE0000000200FEFFFF0102010000FE010201000000FEFEFEFFFF0102FF01FF01FF000000FFFE0002FF010000FE0100000000FE02FF0200000102FF0101FFFE000002010001FEFF00010200FF0202000100FF00FE000100FFFE020001010000FEFF00FEFE01FF02FFFE020102000202FE0000FF0000FE00FF00000101FE00000201FF00010000020000FE00020102000000FE02FEFEFE00FF00FFFFFEFE000100FEFF0200FE000101010100FE00FE0000000200000000FF00FFFF01000002FF00010100000000010001FFFE000100FFFFFF0200FFFF02010101FE020200FF010200010002020202FF02FE02FE0000FF00FF02000000FF02000202FE0100FE00FF00FF02FE0100FE020001FFFEFFFE0001FFFEFF000101FEFFFF0202000201FFFFFE00FEFEFF0001FFFF0200FE02000000010000020002FF00FFFFFF000201FFFF02000001FF0002FFFE0000000000FFFFFFFE00FF01FE010100FEFE0200FF02FFFF0100FF020101FF02FF00FFFEFE00FF0001FFFEFEFFFE0200FE02FF020001010001FEFF0000FEFE000001010001FE020201FFFF02FF00FF00FE0100010100FE00000001FF00FE0101010201000000FF0100FF020001FF0100FF0101FF0001FE0202FEFF000200FF0000FF00FEFF00FFFE000001FF0001FFFF010000FEFE0002010100FF000000FFFEFF02FE01FE0000FF000001FF00FFFF0000000100FF02000100FEFE010000000000FEFEFF01FF000202FE01FF000201FE000200FF020000FFFE000201FEFE02000102FE000201FF0001000002FEFEFE01FEFE0101FFFE020001000000010001FFFEFE000002FE0201FFFEFFFE020000FE00FE0101FE00FE0101FEFEFEFF0000FFFF02FEFE00FE00FE000001FFFE02FEFF0101020200FEFE00FE020001010001FEFEFE000002FFFF000101FE00000001020100FE01FE000002FEFE02FE02FF0100010000FF0000FE00000100000101FF0001FF01FFFEFEFFFF"> : tensor<1000xi8>}> : () -> tensor<1000xi8>
    %5 = "stablehlo.constant"() <{value = dense<[-128, -127, -1, -3, -1, 0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64, 127, -128, -1, 0, -1, 0, 1, 64, 126, 127]> : tensor<26xi8>}> : () -> tensor<26xi8>
    "func.return"(%0, %1, %2, %3, %4, %5) : (tensor<i8>, tensor<0xi8>, tensor<1xi8>, tensor<3x7xi8>, tensor<1000xi8>, tensor<26xi8>) -> ()
  }
}
// reshape i16
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i16> {reel.name = "x0"}, %arg1: tensor<1xi16> {reel.name = "x1"}, %arg2: tensor<6xi16> {reel.name = "x2"}, %arg3: tensor<2x3xi16> {reel.name = "x3"}, %arg4: tensor<0x3xi16> {reel.name = "x4"}, %arg5: tensor<33xi16> {reel.name = "x5"}, %arg6: tensor<2x3x4xi16> {reel.name = "x6"}, %arg7: tensor<4x6xi16> {reel.name = "x7"}, %arg8: tensor<17x1xi16> {reel.name = "x8"}, %arg9: tensor<10x100xi16> {reel.name = "x9"}, %arg10: tensor<31xi16> {reel.name = "x10"}, %arg11: tensor<3x1x5xi16> {reel.name = "x11"}, %arg12: tensor<2x2x3x5xi16> {reel.name = "x12"}, %arg13: tensor<1x2x1x2x3xi16> {reel.name = "x13"}) -> (tensor<2x3xi16> {reel.name = "result0"}, tensor<33xi16> {reel.name = "result1"}, tensor<1x17xi16> {reel.name = "result2"}, tensor<15xi16> {reel.name = "result3"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.reshape"(%arg2) : (tensor<6xi16>) -> tensor<2x3xi16>
    %1 = "stablehlo.reshape"(%arg8) : (tensor<17x1xi16>) -> tensor<1x17xi16>
    %2 = "stablehlo.reshape"(%arg11) : (tensor<3x1x5xi16>) -> tensor<15xi16>
    "func.return"(%0, %arg5, %1, %2) : (tensor<2x3xi16>, tensor<33xi16>, tensor<1x17xi16>, tensor<15xi16>) -> ()
  }
}
// transpose i8
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<2x3x1x4x3xi8> {reel.name = "x0"}, %arg1: tensor<2x3x1x4x3xi8> {reel.name = "x1"}, %arg2: tensor<2x3x1x4x3xi8> {reel.name = "x2"}, %arg3: tensor<0x3xi8> {reel.name = "x3"}, %arg4: tensor<33x65xi8> {reel.name = "x4"}, %arg5: tensor<1x17xi8> {reel.name = "x5"}, %arg6: tensor<64x3xi8> {reel.name = "x6"}, %arg7: tensor<5x1x2xi8> {reel.name = "x7"}, %arg8: tensor<1x1x13xi8> {reel.name = "x8"}, %arg9: tensor<1xi8> {reel.name = "x9"}, %arg10: tensor<3x0x2xi8> {reel.name = "x10"}, %arg11: tensor<i8> {reel.name = "x11"}, %arg12: tensor<7xi8> {reel.name = "x12"}, %arg13: tensor<3x5xi8> {reel.name = "x13"}, %arg14: tensor<3x5xi8> {reel.name = "x14"}, %arg15: tensor<2x3x5xi8> {reel.name = "x15"}, %arg16: tensor<2x3x5xi8> {reel.name = "x16"}, %arg17: tensor<2x3x5xi8> {reel.name = "x17"}, %arg18: tensor<2x3x5xi8> {reel.name = "x18"}, %arg19: tensor<2x3x5xi8> {reel.name = "x19"}, %arg20: tensor<2x3x5xi8> {reel.name = "x20"}, %arg21: tensor<2x3x1x5xi8> {reel.name = "x21"}, %arg22: tensor<2x3x1x5xi8> {reel.name = "x22"}, %arg23: tensor<2x3x1x5xi8> {reel.name = "x23"}, %arg24: tensor<2x3x1x5xi8> {reel.name = "x24"}, %arg25: tensor<2x3x1x5xi8> {reel.name = "x25"}, %arg26: tensor<2x3x1x5xi8> {reel.name = "x26"}, %arg27: tensor<2x3x1x5xi8> {reel.name = "x27"}, %arg28: tensor<2x3x1x5xi8> {reel.name = "x28"}, %arg29: tensor<2x3x1x5xi8> {reel.name = "x29"}, %arg30: tensor<2x3x1x5xi8> {reel.name = "x30"}, %arg31: tensor<2x3x1x5xi8> {reel.name = "x31"}, %arg32: tensor<2x3x1x5xi8> {reel.name = "x32"}, %arg33: tensor<2x3x1x5xi8> {reel.name = "x33"}, %arg34: tensor<2x3x1x5xi8> {reel.name = "x34"}, %arg35: tensor<2x3x1x5xi8> {reel.name = "x35"}, %arg36: tensor<2x3x1x5xi8> {reel.name = "x36"}, %arg37: tensor<2x3x1x5xi8> {reel.name = "x37"}, %arg38: tensor<2x3x1x5xi8> {reel.name = "x38"}, %arg39: tensor<2x3x1x5xi8> {reel.name = "x39"}, %arg40: tensor<2x3x1x5xi8> {reel.name = "x40"}, %arg41: tensor<2x3x1x5xi8> {reel.name = "x41"}, %arg42: tensor<2x3x1x5xi8> {reel.name = "x42"}, %arg43: tensor<2x3x1x5xi8> {reel.name = "x43"}, %arg44: tensor<2x3x1x5xi8> {reel.name = "x44"}) -> (tensor<3x2x1x3x4xi8> {reel.name = "result0"}, tensor<7xi8> {reel.name = "result1"}, tensor<2x1x3x5xi8> {reel.name = "result2"}, tensor<1x2x5x3xi8> {reel.name = "result3"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.transpose"(%arg1) <{permutation = array<i64: 1, 0, 2, 4, 3>}> : (tensor<2x3x1x4x3xi8>) -> tensor<3x2x1x3x4xi8>
    %1 = "stablehlo.transpose"(%arg12) <{permutation = array<i64: 0>}> : (tensor<7xi8>) -> tensor<7xi8>
    %2 = "stablehlo.transpose"(%arg23) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<2x3x1x5xi8>) -> tensor<2x1x3x5xi8>
    %3 = "stablehlo.transpose"(%arg34) <{permutation = array<i64: 2, 0, 3, 1>}> : (tensor<2x3x1x5xi8>) -> tensor<1x2x5x3xi8>
    "func.return"(%0, %1, %2, %3) : (tensor<3x2x1x3x4xi8>, tensor<7xi8>, tensor<2x1x3x5xi8>, tensor<1x2x5x3xi8>) -> ()
  }
}
// slice i16
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i16> {reel.name = "x0"}, %arg1: tensor<7xi16> {reel.name = "x1"}, %arg2: tensor<7xi16> {reel.name = "x2"}, %arg3: tensor<7xi16> {reel.name = "x3"}, %arg4: tensor<7xi16> {reel.name = "x4"}, %arg5: tensor<7xi16> {reel.name = "x5"}, %arg6: tensor<0xi16> {reel.name = "x6"}, %arg7: tensor<33x17xi16> {reel.name = "x7"}, %arg8: tensor<3x1x5xi16> {reel.name = "x8"}, %arg9: tensor<2x3x4x2x3xi16> {reel.name = "x9"}, %arg10: tensor<1xi16> {reel.name = "x10"}, %arg11: tensor<31xi16> {reel.name = "x11"}, %arg12: tensor<1x1xi16> {reel.name = "x12"}, %arg13: tensor<0x3xi16> {reel.name = "x13"}, %arg14: tensor<5x1xi16> {reel.name = "x14"}, %arg15: tensor<2x3x4x5xi16> {reel.name = "x15"}, %arg16: tensor<65xi16> {reel.name = "x16"}, %arg17: tensor<3x64xi16> {reel.name = "x17"}) -> (tensor<3xi16> {reel.name = "result0"}, tensor<0xi16> {reel.name = "result1"}, tensor<1xi16> {reel.name = "result2"}, tensor<3x1xi16> {reel.name = "result3"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.slice"(%arg2) <{start_indices = array<i64: 2>, limit_indices = array<i64: 5>, strides = array<i64: 1>}> : (tensor<7xi16>) -> tensor<3xi16>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i16>}> : () -> tensor<i16>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<i16>) -> tensor<0xi16>
    %3 = "stablehlo.slice"(%arg10) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<1xi16>) -> tensor<1xi16>
    %4 = "stablehlo.slice"(%arg14) <{start_indices = array<i64: 1, 0>, limit_indices = array<i64: 4, 1>, strides = array<i64: 1, 1>}> : (tensor<5x1xi16>) -> tensor<3x1xi16>
    "func.return"(%0, %2, %3, %4) : (tensor<3xi16>, tensor<0xi16>, tensor<1xi16>, tensor<3x1xi16>) -> ()
  }
}
// broadcast u32
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<ui32> {reel.name = "x0"}, %arg1: tensor<ui32> {reel.name = "x1"}, %arg2: tensor<1xui32> {reel.name = "x2"}, %arg3: tensor<3xui32> {reel.name = "x3"}, %arg4: tensor<3xui32> {reel.name = "x4"}, %arg5: tensor<5xui32> {reel.name = "x5"}, %arg6: tensor<3x1xui32> {reel.name = "x6"}, %arg7: tensor<1x1xui32> {reel.name = "x7"}, %arg8: tensor<1xui32> {reel.name = "x8"}, %arg9: tensor<0xui32> {reel.name = "x9"}, %arg10: tensor<2x1x3xui32> {reel.name = "x10"}, %arg11: tensor<1000xui32> {reel.name = "x11"}, %arg12: tensor<31xui32> {reel.name = "x12"}, %arg13: tensor<2x3xui32> {reel.name = "x13"}, %arg14: tensor<3x1x2x1xui32> {reel.name = "x14"}, %arg15: tensor<1x5xui32> {reel.name = "x15"}, %arg16: tensor<0x1xui32> {reel.name = "x16"}) -> (tensor<3xui32> {reel.name = "result0"}, tensor<2x3x4xui32> {reel.name = "result1"}, tensor<3x1000xui32> {reel.name = "result2"}, tensor<4x5xui32> {reel.name = "result3"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.broadcast_in_dim"(%arg7) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<1x1xui32>) -> tensor<2x3x4xui32>
    %1 = "stablehlo.broadcast_in_dim"(%arg11) <{broadcast_dimensions = array<i64: 1>}> : (tensor<1000xui32>) -> tensor<3x1000xui32>
    %2 = "stablehlo.broadcast_in_dim"(%arg15) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x5xui32>) -> tensor<4x5xui32>
    "func.return"(%arg3, %0, %1, %2) : (tensor<3xui32>, tensor<2x3x4xui32>, tensor<3x1000xui32>, tensor<4x5xui32>) -> ()
  }
}
// pad i8
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i8> {reel.name = "x0"}, %arg1: tensor<i8> {reel.name = "x1"}, %arg2: tensor<3xi8> {reel.name = "x2"}, %arg3: tensor<i8> {reel.name = "x3"}, %arg4: tensor<3xi8> {reel.name = "x4"}, %arg5: tensor<i8> {reel.name = "x5"}, %arg6: tensor<3xi8> {reel.name = "x6"}, %arg7: tensor<i8> {reel.name = "x7"}, %arg8: tensor<1xi8> {reel.name = "x8"}, %arg9: tensor<i8> {reel.name = "x9"}, %arg10: tensor<0xi8> {reel.name = "x10"}, %arg11: tensor<i8> {reel.name = "x11"}, %arg12: tensor<0x2xi8> {reel.name = "x12"}, %arg13: tensor<i8> {reel.name = "x13"}, %arg14: tensor<7x5xi8> {reel.name = "x14"}, %arg15: tensor<i8> {reel.name = "x15"}, %arg16: tensor<2x1x3x2x2xi8> {reel.name = "x16"}, %arg17: tensor<i8> {reel.name = "x17"}, %arg18: tensor<17x33xi8> {reel.name = "x18"}, %arg19: tensor<i8> {reel.name = "x19"}, %arg20: tensor<31xi8> {reel.name = "x20"}, %arg21: tensor<i8> {reel.name = "x21"}, %arg22: tensor<1x1xi8> {reel.name = "x22"}, %arg23: tensor<i8> {reel.name = "x23"}, %arg24: tensor<2x3x5xi8> {reel.name = "x24"}, %arg25: tensor<i8> {reel.name = "x25"}, %arg26: tensor<2x1x2x3xi8> {reel.name = "x26"}, %arg27: tensor<i8> {reel.name = "x27"}, %arg28: tensor<64x2xi8> {reel.name = "x28"}, %arg29: tensor<i8> {reel.name = "x29"}, %arg30: tensor<5xi8> {reel.name = "x30"}, %arg31: tensor<i8> {reel.name = "x31"}) -> (tensor<i8> {reel.name = "result0"}, tensor<3xi8> {reel.name = "result1"}, tensor<6xi8> {reel.name = "result2"}, tensor<7xi8> {reel.name = "result3"}, tensor<3xi8> {reel.name = "result4"}, tensor<3xi8> {reel.name = "result5"}, tensor<0x3xi8> {reel.name = "result6"}, tensor<14x8xi8> {reel.name = "result7"}, tensor<3x2x5x4x5xi8> {reel.name = "result8"}, tensor<19x35xi8> {reel.name = "result9"}, tensor<32xi8> {reel.name = "result10"}, tensor<3x2xi8> {reel.name = "result11"}, tensor<4x4x7xi8> {reel.name = "result12"}, tensor<3x2x5x4xi8> {reel.name = "result13"}, tensor<65x6xi8> {reel.name = "result14"}, tensor<12xi8> {reel.name = "result15"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64>, edge_padding_high = array<i64>, interior_padding = array<i64>}> : (tensor<i8>, tensor<i8>) -> tensor<i8>
    %1 = "stablehlo.pad"(%arg2, %arg3) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<3xi8>, tensor<i8>) -> tensor<3xi8>
    %2 = "stablehlo.pad"(%arg4, %arg5) <{edge_padding_low = array<i64: 2>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>}> : (tensor<3xi8>, tensor<i8>) -> tensor<6xi8>
    %3 = "stablehlo.pad"(%arg6, %arg7) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 2>}> : (tensor<3xi8>, tensor<i8>) -> tensor<7xi8>
    %4 = "stablehlo.pad"(%arg8, %arg9) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 2>, interior_padding = array<i64: 5>}> : (tensor<1xi8>, tensor<i8>) -> tensor<3xi8>
    %5 = "stablehlo.pad"(%arg10, %arg11) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 2>, interior_padding = array<i64: 3>}> : (tensor<0xi8>, tensor<i8>) -> tensor<3xi8>
    %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i8>}> : () -> tensor<i8>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<i8>) -> tensor<0x3xi8>
    %8 = "stablehlo.pad"(%arg14, %arg15) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 3>, interior_padding = array<i64: 1, 0>}> : (tensor<7x5xi8>, tensor<i8>) -> tensor<14x8xi8>
    %9 = "stablehlo.pad"(%arg16, %arg17) <{edge_padding_low = array<i64: 0, 1, 0, 2, 0>, edge_padding_high = array<i64: 1, 0, 0, 0, 1>, interior_padding = array<i64: 0, 3, 1, 0, 2>}> : (tensor<2x1x3x2x2xi8>, tensor<i8>) -> tensor<3x2x5x4x5xi8>
    %10 = "stablehlo.pad"(%arg18, %arg19) <{edge_padding_low = array<i64: 1, 1>, edge_padding_high = array<i64: 1, 1>, interior_padding = array<i64: 0, 0>}> : (tensor<17x33xi8>, tensor<i8>) -> tensor<19x35xi8>
    %11 = "stablehlo.pad"(%arg20, %arg21) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<31xi8>, tensor<i8>) -> tensor<32xi8>
    %12 = "stablehlo.pad"(%arg22, %arg23) <{edge_padding_low = array<i64: 2, 0>, edge_padding_high = array<i64: 0, 1>, interior_padding = array<i64: 0, 0>}> : (tensor<1x1xi8>, tensor<i8>) -> tensor<3x2xi8>
    %13 = "stablehlo.pad"(%arg24, %arg25) <{edge_padding_low = array<i64: 0, 1, 0>, edge_padding_high = array<i64: 1, 0, 2>, interior_padding = array<i64: 1, 0, 0>}> : (tensor<2x3x5xi8>, tensor<i8>) -> tensor<4x4x7xi8>
    %14 = "stablehlo.pad"(%arg26, %arg27) <{edge_padding_low = array<i64: 1, 1, 0, 0>, edge_padding_high = array<i64: 0, 0, 1, 1>, interior_padding = array<i64: 0, 0, 2, 0>}> : (tensor<2x1x2x3xi8>, tensor<i8>) -> tensor<3x2x5x4xi8>
    %15 = "stablehlo.pad"(%arg28, %arg29) <{edge_padding_low = array<i64: 0, 3>, edge_padding_high = array<i64: 1, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<64x2xi8>, tensor<i8>) -> tensor<65x6xi8>
    %16 = "stablehlo.pad"(%arg30, %arg31) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 3>, interior_padding = array<i64: 1>}> : (tensor<5xi8>, tensor<i8>) -> tensor<12xi8>
    "func.return"(%0, %1, %2, %3, %4, %5, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16) : (tensor<i8>, tensor<3xi8>, tensor<6xi8>, tensor<7xi8>, tensor<3xi8>, tensor<3xi8>, tensor<0x3xi8>, tensor<14x8xi8>, tensor<3x2x5x4x5xi8>, tensor<19x35xi8>, tensor<32xi8>, tensor<3x2xi8>, tensor<4x4x7xi8>, tensor<3x2x5x4xi8>, tensor<65x6xi8>, tensor<12xi8>) -> ()
  }
}
// reverse u64
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<ui64> {reel.name = "x0"}, %arg1: tensor<1xui64> {reel.name = "x1"}, %arg2: tensor<0xui64> {reel.name = "x2"}, %arg3: tensor<7xui64> {reel.name = "x3"}, %arg4: tensor<33xui64> {reel.name = "x4"}, %arg5: tensor<3x5xui64> {reel.name = "x5"}, %arg6: tensor<3x17xui64> {reel.name = "x6"}, %arg7: tensor<3x5xui64> {reel.name = "x7"}, %arg8: tensor<3x5xui64> {reel.name = "x8"}, %arg9: tensor<0x3xui64> {reel.name = "x9"}, %arg10: tensor<2x3x4xui64> {reel.name = "x10"}, %arg11: tensor<2x1x3x2x2xui64> {reel.name = "x11"}, %arg12: tensor<100xui64> {reel.name = "x12"}, %arg13: tensor<5x64xui64> {reel.name = "x13"}, %arg14: tensor<1x1xui64> {reel.name = "x14"}, %arg15: tensor<2x2x3x2xui64> {reel.name = "x15"}) -> (tensor<ui64> {reel.name = "result0"}, tensor<33xui64> {reel.name = "result1"}, tensor<3x5xui64> {reel.name = "result2"}, tensor<100xui64> {reel.name = "result3"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.reverse"(%arg4) <{dimensions = array<i64: 0>}> : (tensor<33xui64>) -> tensor<33xui64>
    %1 = "stablehlo.reverse"(%arg12) <{dimensions = array<i64: 0>}> : (tensor<100xui64>) -> tensor<100xui64>
    "func.return"(%arg0, %0, %arg8, %1) : (tensor<ui64>, tensor<33xui64>, tensor<3x5xui64>, tensor<100xui64>) -> ()
  }
}
// iota i8
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main() -> (tensor<0xi8> {reel.name = "result0"}, tensor<1xi8> {reel.name = "result1"}, tensor<33xi8> {reel.name = "result2"}, tensor<3x7xi8> {reel.name = "result3"}, tensor<3x7xi8> {reel.name = "result4"}, tensor<2x1x3xi8> {reel.name = "result5"}, tensor<2x1x3xi8> {reel.name = "result6"}, tensor<2x1x3xi8> {reel.name = "result7"}, tensor<2x0xi8> {reel.name = "result8"}, tensor<2x0xi8> {reel.name = "result9"}, tensor<2x3x1x2x2xi8> {reel.name = "result10"}, tensor<2x3x1x2x2xi8> {reel.name = "result11"}, tensor<2x3x1x2x2xi8> {reel.name = "result12"}, tensor<2x3x1x2x2xi8> {reel.name = "result13"}, tensor<2x3x1x2x2xi8> {reel.name = "result14"}, tensor<5000xi8> {reel.name = "result15"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i8>}> : () -> tensor<i8>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<i8>) -> tensor<0xi8>
    %2 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xi8>
    %3 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<33xi8>
    %4 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3x7xi8>
    %5 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<3x7xi8>
    %6 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2x1x3xi8>
    %7 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x1x3xi8>
    %8 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x1x3xi8>
    %9 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<i8>) -> tensor<2x0xi8>
    %10 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2x3x1x2x2xi8>
    %11 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3x1x2x2xi8>
    %12 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<2x3x1x2x2xi8>
    %13 = "stablehlo.iota"() <{iota_dimension = 3 : i64}> : () -> tensor<2x3x1x2x2xi8>
    %14 = "stablehlo.iota"() <{iota_dimension = 4 : i64}> : () -> tensor<2x3x1x2x2xi8>
    %15 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<5000xi8>
    "func.return"(%1, %2, %3, %4, %5, %6, %7, %8, %9, %9, %10, %11, %12, %13, %14, %15) : (tensor<0xi8>, tensor<1xi8>, tensor<33xi8>, tensor<3x7xi8>, tensor<3x7xi8>, tensor<2x1x3xi8>, tensor<2x1x3xi8>, tensor<2x1x3xi8>, tensor<2x0xi8>, tensor<2x0xi8>, tensor<2x3x1x2x2xi8>, tensor<2x3x1x2x2xi8>, tensor<2x3x1x2x2xi8>, tensor<2x3x1x2x2xi8>, tensor<2x3x1x2x2xi8>, tensor<5000xi8>) -> ()
  }
}
// window bool[1] axes 0 sizes 1 strides 1 dilations 1
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1xi1> {reel.name = "x0"}) -> (tensor<1x1xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<1xi1>) -> tensor<1xi1>
    %1 = "stablehlo.reshape"(%0) : (tensor<1xi1>) -> tensor<1x1xi1>
    "func.return"(%1) : (tensor<1x1xi1>) -> ()
  }
}
// contract i32[] i32[] over  and 
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i32> {reel.name = "x0"}, %arg1: tensor<i32> {reel.name = "x1"}) -> (tensor<i32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%0) : (tensor<i32>) -> ()
  }
}
// conv i8[2,7,1,3] with i8[3,1,3,4] strides  padding   dilations  
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<2x7x1x3xi8> {reel.name = "x0"}, %arg1: tensor<3x1x3x4xi8> {reel.name = "x1"}) -> (tensor<2x5x1x4xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<2x7x1x3xi8>) -> tensor<2x7x3xi8>
    %1 = "stablehlo.reshape"(%arg1) : (tensor<3x1x3x4xi8>) -> tensor<3x3x4xi8>
    %2 = "stablehlo.convolution"(%0, %1) <{window_strides = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}> : (tensor<2x7x3xi8>, tensor<3x3x4xi8>) -> tensor<2x5x4xi8>
    %3 = "stablehlo.reshape"(%2) : (tensor<2x5x4xi8>) -> tensor<2x5x1x4xi8>
    "func.return"(%3) : (tensor<2x5x1x4xi8>) -> ()
  }
}
// recurrence i32[1] axis 0
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1xi32> {reel.name = "x0"}, %arg1: tensor<1xi32> {reel.name = "x1"}) -> (tensor<1xi32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3:5 = "stablehlo.while"(%1, %arg0, %arg1, %2, %0) ({
     ^bb0(%4: tensor<i64>, %5: tensor<1xi32>, %6: tensor<1xi32>, %7: tensor<1xi32>, %8: tensor<1xi32>):
      %9 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %10 = "stablehlo.compare"(%4, %9) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%10) : (tensor<i1>) -> ()
    }, {
     ^bb0(%11: tensor<i64>, %12: tensor<1xi32>, %13: tensor<1xi32>, %14: tensor<1xi32>, %15: tensor<1xi32>):
      %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
      %17 = "stablehlo.compare"(%11, %16) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<i1>) -> tensor<1xi1>
      %19 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
      %20 = "stablehlo.dynamic_slice"(%12, %11) <{slice_sizes = array<i64: 1>}> : (tensor<1xi32>, tensor<i64>) -> tensor<1xi32>
      %21 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
      %22 = "stablehlo.dynamic_slice"(%13, %11) <{slice_sizes = array<i64: 1>}> : (tensor<1xi32>, tensor<i64>) -> tensor<1xi32>
      %23 = "stablehlo.constant"() <{value = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
      %24 = "stablehlo.select"(%18, %23, %20) : (tensor<1xi1>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      %25 = "stablehlo.multiply"(%24, %15) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      %26 = "stablehlo.add"(%25, %22) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      %27 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
      %28 = "stablehlo.dynamic_update_slice"(%14, %26, %11) : (tensor<1xi32>, tensor<1xi32>, tensor<i64>) -> tensor<1xi32>
      %29 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %30 = "stablehlo.add"(%11, %29) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%30, %12, %13, %28, %26) : (tensor<i64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> ()
    }) : (tensor<i64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<i64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
    "func.return"(%3#3) : (tensor<1xi32>) -> ()
  }
}
// cholesky f32[9,2,2] special
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<9x2x2xf32> {reel.name = "x0"}) -> (tensor<9x2x2xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> : (tensor<9x2x2xf32>) -> tensor<9x2x2xf32>
    %1 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<9x2x2xi32>
    %2 = "stablehlo.iota"() <{iota_dimension = 2 : i64}> : () -> tensor<9x2x2xi32>
    %3 = "stablehlo.compare"(%2, %1) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<9x2x2xi32>, tensor<9x2x2xi32>) -> tensor<9x2x2xi1>
    %4 = "stablehlo.constant"() <{value = dense<0.0> : tensor<9x2x2xf32>}> : () -> tensor<9x2x2xf32>
    %5 = "stablehlo.select"(%3, %4, %0) : (tensor<9x2x2xi1>, tensor<9x2x2xf32>, tensor<9x2x2xf32>) -> tensor<9x2x2xf32>
    %6 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %7 = "stablehlo.compare"(%5, %5) <{comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<9x2x2xf32>, tensor<9x2x2xf32>) -> tensor<9x2x2xi1>
    %8 = "stablehlo.reduce"(%7, %6) <{dimensions = array<i64: 1, 2>}> ({
     ^bb0(%9: tensor<i1>, %10: tensor<i1>):
      %11 = "stablehlo.or"(%9, %10) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%11) : (tensor<i1>) -> ()
    }) : (tensor<9x2x2xi1>, tensor<i1>) -> tensor<9xi1>
    %12 = "stablehlo.constant"() <{value = dense<0x7FC00000> : tensor<9x2x2xf32>}> : () -> tensor<9x2x2xf32>
    %13 = "stablehlo.constant"() <{value = dense<0.0> : tensor<9x2x2xf32>}> : () -> tensor<9x2x2xf32>
    %14 = "stablehlo.select"(%3, %13, %12) : (tensor<9x2x2xi1>, tensor<9x2x2xf32>, tensor<9x2x2xf32>) -> tensor<9x2x2xf32>
    %15 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64: 0>}> : (tensor<9xi1>) -> tensor<9x2x2xi1>
    %16 = "stablehlo.select"(%15, %14, %5) : (tensor<9x2x2xi1>, tensor<9x2x2xf32>, tensor<9x2x2xf32>) -> tensor<9x2x2xf32>
    "func.return"(%16) : (tensor<9x2x2xf32>) -> ()
  }
}
// triangular_solve f32[1,1] f32[1,3] lower transpose unit
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1x1xf32> {reel.name = "x0"}, %arg1: tensor<1x3xf32> {reel.name = "x1"}) -> (tensor<1x3xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<1x1xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
    "func.return"(%0) : (tensor<1x3xf32>) -> ()
  }
}
// gather bool[5] axis 0 at i64[] 3
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<5xi1> {reel.name = "x0"}, %arg1: tensor<i64> {reel.name = "x1"}) -> (tensor<i1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %2 = "stablehlo.compare"(%arg1, %1) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %3 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %4 = "stablehlo.compare"(%arg1, %3) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %5 = "stablehlo.and"(%4, %2) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %6 = "stablehlo.select"(%5, %arg1, %0) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<5xi1>, tensor<i64>) -> tensor<i1>
    %8 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %9 = "stablehlo.select"(%5, %7, %8) : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
    "func.return"(%9) : (tensor<i1>) -> ()
  }
}
// scatter_add i32[5] axis 0 at i64[] 3
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<5xi32> {reel.name = "x0"}, %arg1: tensor<i64> {reel.name = "x1"}, %arg2: tensor<i32> {reel.name = "x2"}) -> (tensor<5xi32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.compare"(%arg1, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %3 = "stablehlo.compare"(%arg1, %2) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = "stablehlo.and"(%3, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.select"(%4, %arg1, %5) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.select"(%4, %arg2, %7) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %9 = "stablehlo.scatter"(%arg0, %6, %8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
     ^bb0(%10: tensor<i32>, %11: tensor<i32>):
      %12 = "stablehlo.add"(%10, %11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%12) : (tensor<i32>) -> ()
    }) : (tensor<5xi32>, tensor<i64>, tensor<i32>) -> tensor<5xi32>
    "func.return"(%9) : (tensor<5xi32>) -> ()
  }
}
// scatter_set bool[5] axis 0 at i64[4] 4,0,0,2
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<5xi1> {reel.name = "x0"}, %arg1: tensor<4xi64> {reel.name = "x1"}, %arg2: tensor<4xi1> {reel.name = "x2"}) -> (tensor<5xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi64>
    %1 = "stablehlo.constant"() <{value = dense<-1> : tensor<5xi64>}> : () -> tensor<5xi64>
    %2 = "stablehlo.constant"() <{value = dense<5> : tensor<4xi64>}> : () -> tensor<4xi64>
    %3 = "stablehlo.compare"(%arg1, %2) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<4xi64>}> : () -> tensor<4xi64>
    %5 = "stablehlo.compare"(%arg1, %4) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %6 = "stablehlo.and"(%5, %3) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<4xi64>}> : () -> tensor<4xi64>
    %8 = "stablehlo.select"(%6, %arg1, %7) : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %9 = "stablehlo.constant"() <{value = dense<-9223372036854775808> : tensor<4xi64>}> : () -> tensor<4xi64>
    %10 = "stablehlo.select"(%6, %0, %9) : (tensor<4xi1>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
    %11 = "stablehlo.scatter"(%1, %8, %10) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
     ^bb0(%12: tensor<i64>, %13: tensor<i64>):
      %14 = "stablehlo.maximum"(%12, %13) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%14) : (tensor<i64>) -> ()
    }) : (tensor<5xi64>, tensor<4xi64>, tensor<4xi64>) -> tensor<5xi64>
    %15 = "stablehlo.constant"() <{value = dense<0> : tensor<5xi64>}> : () -> tensor<5xi64>
    %16 = "stablehlo.compare"(%11, %15) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
    %17 = "stablehlo.constant"() <{value = dense<0> : tensor<5xi64>}> : () -> tensor<5xi64>
    %18 = "stablehlo.select"(%16, %11, %17) : (tensor<5xi1>, tensor<5xi64>, tensor<5xi64>) -> tensor<5xi64>
    %19 = "stablehlo.gather"(%arg2, %18) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<4xi1>, tensor<5xi64>) -> tensor<5xi1>
    %20 = "stablehlo.select"(%16, %19, %arg0) : (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
    "func.return"(%20) : (tensor<5xi1>) -> ()
  }
}
// scatter_max f32[5] axis 0 at i64[] 3
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<5xf32> {reel.name = "x0"}, %arg1: tensor<i64> {reel.name = "x1"}, %arg2: tensor<f32> {reel.name = "x2"}) -> (tensor<5xf32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.compare"(%arg1, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %3 = "stablehlo.compare"(%arg1, %2) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = "stablehlo.and"(%3, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.select"(%4, %arg1, %5) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %7 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.select"(%4, %arg2, %7) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %9 = "stablehlo.scatter"(%arg0, %6, %8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
     ^bb0(%10: tensor<f32>, %11: tensor<f32>):
      %12 = "stablehlo.maximum"(%10, %11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%12) : (tensor<f32>) -> ()
    }) : (tensor<5xf32>, tensor<i64>, tensor<f32>) -> tensor<5xf32>
    "func.return"(%9) : (tensor<5xf32>) -> ()
  }
}
// scatter_min i32[5] axis 0 at i64[] 3
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<5xi32> {reel.name = "x0"}, %arg1: tensor<i64> {reel.name = "x1"}, %arg2: tensor<i32> {reel.name = "x2"}) -> (tensor<5xi32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.compare"(%arg1, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %3 = "stablehlo.compare"(%arg1, %2) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = "stablehlo.and"(%3, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.select"(%4, %arg1, %5) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %7 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.select"(%4, %arg2, %7) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %9 = "stablehlo.scatter"(%arg0, %6, %8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
     ^bb0(%10: tensor<i32>, %11: tensor<i32>):
      %12 = "stablehlo.minimum"(%10, %11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%12) : (tensor<i32>) -> ()
    }) : (tensor<5xi32>, tensor<i64>, tensor<i32>) -> tensor<5xi32>
    "func.return"(%9) : (tensor<5xi32>) -> ()
  }
}
// scatter_mul i32[5] axis 0 at i64[] 3
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<5xi32> {reel.name = "x0"}, %arg1: tensor<i64> {reel.name = "x1"}, %arg2: tensor<i32> {reel.name = "x2"}) -> (tensor<5xi32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<5> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.compare"(%arg1, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %3 = "stablehlo.compare"(%arg1, %2) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = "stablehlo.and"(%3, %1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %6 = "stablehlo.select"(%4, %arg1, %5) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %7 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.select"(%4, %arg2, %7) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %9 = "stablehlo.scatter"(%arg0, %6, %8) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
     ^bb0(%10: tensor<i32>, %11: tensor<i32>):
      %12 = "stablehlo.multiply"(%10, %11) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%12) : (tensor<i32>) -> ()
    }) : (tensor<5xi32>, tensor<i64>, tensor<i32>) -> tensor<5xi32>
    "func.return"(%9) : (tensor<5xi32>) -> ()
  }
}
// dynamic_slice bool[1] axis 0 size 1
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1xi1> {reel.name = "x0"}, %arg1: tensor<1xi1> {reel.name = "x1"}, %arg2: tensor<i64> {reel.name = "x2"}) -> (tensor<1xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.dynamic_slice"(%arg0, %arg2) <{slice_sizes = array<i64: 1>}> : (tensor<1xi1>, tensor<i64>) -> tensor<1xi1>
    "func.return"(%1) : (tensor<1xi1>) -> ()
  }
}
// dynamic_update bool[1] axis 0 size 1
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1xi1> {reel.name = "x0"}, %arg1: tensor<1xi1> {reel.name = "x1"}, %arg2: tensor<i64> {reel.name = "x2"}) -> (tensor<1xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2) : (tensor<1xi1>, tensor<1xi1>, tensor<i64>) -> tensor<1xi1>
    "func.return"(%1) : (tensor<1xi1>) -> ()
  }
}
// argsort i8[1] axis 0
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1xi8> {reel.name = "x0"}, %arg1: tensor<1xi8> {reel.name = "x1"}) -> (tensor<1xi64> {reel.name = "result0"}, tensor<1xi64> {reel.name = "result1"}, tensor<1xi64> {reel.name = "result2"}, tensor<1xi64> {reel.name = "result3"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
     ^bb0(%2: tensor<i8>, %3: tensor<i8>, %4: tensor<i64>, %5: tensor<i64>):
      %6 = "stablehlo.compare"(%2, %3) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i8>, tensor<i8>) -> tensor<i1>
      "stablehlo.return"(%6) : (tensor<i1>) -> ()
    }) : (tensor<1xi8>, tensor<1xi64>) -> (tensor<1xi8>, tensor<1xi64>)
    %7 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xi64>
    %8:2 = "stablehlo.sort"(%arg0, %7) <{dimension = 0 : i64, is_stable = true}> ({
     ^bb0(%9: tensor<i8>, %10: tensor<i8>, %11: tensor<i64>, %12: tensor<i64>):
      %13 = "stablehlo.compare"(%9, %10) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i8>, tensor<i8>) -> tensor<i1>
      "stablehlo.return"(%13) : (tensor<i1>) -> ()
    }) : (tensor<1xi8>, tensor<1xi64>) -> (tensor<1xi8>, tensor<1xi64>)
    %14 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xi64>
    %15:2 = "stablehlo.sort"(%arg1, %14) <{dimension = 0 : i64, is_stable = true}> ({
     ^bb0(%16: tensor<i8>, %17: tensor<i8>, %18: tensor<i64>, %19: tensor<i64>):
      %20 = "stablehlo.compare"(%16, %17) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i8>, tensor<i8>) -> tensor<i1>
      "stablehlo.return"(%20) : (tensor<i1>) -> ()
    }) : (tensor<1xi8>, tensor<1xi64>) -> (tensor<1xi8>, tensor<1xi64>)
    %21 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xi64>
    %22:2 = "stablehlo.sort"(%arg1, %21) <{dimension = 0 : i64, is_stable = true}> ({
     ^bb0(%23: tensor<i8>, %24: tensor<i8>, %25: tensor<i64>, %26: tensor<i64>):
      %27 = "stablehlo.compare"(%23, %24) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i8>, tensor<i8>) -> tensor<i1>
      "stablehlo.return"(%27) : (tensor<i1>) -> ()
    }) : (tensor<1xi8>, tensor<1xi64>) -> (tensor<1xi8>, tensor<1xi64>)
    "func.return"(%1#1, %8#1, %15#1, %22#1) : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> ()
  }
}
// random_bits state 0,0
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<2xi64> {reel.name = "x0"}) -> (tensor<i32> {reel.name = "result0"}, tensor<0xi32> {reel.name = "result1"}, tensor<1xi32> {reel.name = "result2"}, tensor<3xi32> {reel.name = "result3"}, tensor<4xi32> {reel.name = "result4"}, tensor<5xi32> {reel.name = "result5"}, tensor<33xi32> {reel.name = "result6"}, tensor<3x7xi32> {reel.name = "result7"}, tensor<2x0xi32> {reel.name = "result8"}, tensor<1000xi32> {reel.name = "result9"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xui64>
    %1 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %2 = "stablehlo.convert"(%1) : (tensor<1xi64>) -> tensor<1xui64>
    %3 = "stablehlo.reshape"(%2) : (tensor<1xui64>) -> tensor<ui64>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %5 = "stablehlo.add"(%4, %0) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %6 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %7 = "stablehlo.convert"(%6) : (tensor<1xi64>) -> tensor<1xui64>
    %8 = "stablehlo.reshape"(%7) : (tensor<1xui64>) -> tensor<ui64>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %10 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %11 = "stablehlo.shift_right_logical"(%9, %10) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %12 = "stablehlo.convert"(%11) : (tensor<1xui64>) -> tensor<1xui32>
    %13 = "stablehlo.convert"(%9) : (tensor<1xui64>) -> tensor<1xui32>
    %14 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %15 = "stablehlo.shift_right_logical"(%5, %14) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %16 = "stablehlo.convert"(%15) : (tensor<1xui64>) -> tensor<1xui32>
    %17 = "stablehlo.convert"(%5) : (tensor<1xui64>) -> tensor<1xui32>
    %18 = "stablehlo.constant"() <{value = dense<0> : tensor<1xui32>}> : () -> tensor<1xui32>
    %19 = "stablehlo.convert"(%17) : (tensor<1xui32>) -> tensor<1xui64>
    %20 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %21 = "stablehlo.multiply"(%19, %20) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %22 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %23 = "stablehlo.shift_right_logical"(%21, %22) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %24 = "stablehlo.convert"(%23) : (tensor<1xui64>) -> tensor<1xui32>
    %25 = "stablehlo.convert"(%21) : (tensor<1xui64>) -> tensor<1xui32>
    %26 = "stablehlo.convert"(%18) : (tensor<1xui32>) -> tensor<1xui64>
    %27 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %28 = "stablehlo.multiply"(%26, %27) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %29 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %30 = "stablehlo.shift_right_logical"(%28, %29) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %31 = "stablehlo.convert"(%30) : (tensor<1xui64>) -> tensor<1xui32>
    %32 = "stablehlo.convert"(%28) : (tensor<1xui64>) -> tensor<1xui32>
    %33 = "stablehlo.xor"(%31, %16) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %34 = "stablehlo.xor"(%33, %13) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %35 = "stablehlo.xor"(%24, %18) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %36 = "stablehlo.xor"(%35, %12) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %37 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %38 = "stablehlo.add"(%13, %37) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %39 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %40 = "stablehlo.add"(%12, %39) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %41 = "stablehlo.convert"(%34) : (tensor<1xui32>) -> tensor<1xui64>
    %42 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %43 = "stablehlo.multiply"(%41, %42) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %44 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %45 = "stablehlo.shift_right_logical"(%43, %44) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %46 = "stablehlo.convert"(%45) : (tensor<1xui64>) -> tensor<1xui32>
    %47 = "stablehlo.convert"(%43) : (tensor<1xui64>) -> tensor<1xui32>
    %48 = "stablehlo.convert"(%36) : (tensor<1xui32>) -> tensor<1xui64>
    %49 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %50 = "stablehlo.multiply"(%48, %49) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %51 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %52 = "stablehlo.shift_right_logical"(%50, %51) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %53 = "stablehlo.convert"(%52) : (tensor<1xui64>) -> tensor<1xui32>
    %54 = "stablehlo.convert"(%50) : (tensor<1xui64>) -> tensor<1xui32>
    %55 = "stablehlo.xor"(%53, %32) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %56 = "stablehlo.xor"(%55, %38) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %57 = "stablehlo.xor"(%46, %25) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %58 = "stablehlo.xor"(%57, %40) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %59 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %60 = "stablehlo.add"(%38, %59) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %61 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %62 = "stablehlo.add"(%40, %61) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %63 = "stablehlo.convert"(%56) : (tensor<1xui32>) -> tensor<1xui64>
    %64 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %65 = "stablehlo.multiply"(%63, %64) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %66 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %67 = "stablehlo.shift_right_logical"(%65, %66) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %68 = "stablehlo.convert"(%67) : (tensor<1xui64>) -> tensor<1xui32>
    %69 = "stablehlo.convert"(%65) : (tensor<1xui64>) -> tensor<1xui32>
    %70 = "stablehlo.convert"(%58) : (tensor<1xui32>) -> tensor<1xui64>
    %71 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %72 = "stablehlo.multiply"(%70, %71) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %73 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %74 = "stablehlo.shift_right_logical"(%72, %73) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %75 = "stablehlo.convert"(%74) : (tensor<1xui64>) -> tensor<1xui32>
    %76 = "stablehlo.convert"(%72) : (tensor<1xui64>) -> tensor<1xui32>
    %77 = "stablehlo.xor"(%75, %54) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %78 = "stablehlo.xor"(%77, %60) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %79 = "stablehlo.xor"(%68, %47) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %80 = "stablehlo.xor"(%79, %62) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %81 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %82 = "stablehlo.add"(%60, %81) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %83 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %84 = "stablehlo.add"(%62, %83) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %85 = "stablehlo.convert"(%78) : (tensor<1xui32>) -> tensor<1xui64>
    %86 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %87 = "stablehlo.multiply"(%85, %86) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %88 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %89 = "stablehlo.shift_right_logical"(%87, %88) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %90 = "stablehlo.convert"(%89) : (tensor<1xui64>) -> tensor<1xui32>
    %91 = "stablehlo.convert"(%87) : (tensor<1xui64>) -> tensor<1xui32>
    %92 = "stablehlo.convert"(%80) : (tensor<1xui32>) -> tensor<1xui64>
    %93 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %94 = "stablehlo.multiply"(%92, %93) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %95 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %96 = "stablehlo.shift_right_logical"(%94, %95) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %97 = "stablehlo.convert"(%96) : (tensor<1xui64>) -> tensor<1xui32>
    %98 = "stablehlo.convert"(%94) : (tensor<1xui64>) -> tensor<1xui32>
    %99 = "stablehlo.xor"(%97, %76) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %100 = "stablehlo.xor"(%99, %82) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %101 = "stablehlo.xor"(%90, %69) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %102 = "stablehlo.xor"(%101, %84) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %103 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %104 = "stablehlo.add"(%82, %103) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %105 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %106 = "stablehlo.add"(%84, %105) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %107 = "stablehlo.convert"(%100) : (tensor<1xui32>) -> tensor<1xui64>
    %108 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %109 = "stablehlo.multiply"(%107, %108) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %110 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %111 = "stablehlo.shift_right_logical"(%109, %110) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %112 = "stablehlo.convert"(%111) : (tensor<1xui64>) -> tensor<1xui32>
    %113 = "stablehlo.convert"(%109) : (tensor<1xui64>) -> tensor<1xui32>
    %114 = "stablehlo.convert"(%102) : (tensor<1xui32>) -> tensor<1xui64>
    %115 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %116 = "stablehlo.multiply"(%114, %115) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %117 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %118 = "stablehlo.shift_right_logical"(%116, %117) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %119 = "stablehlo.convert"(%118) : (tensor<1xui64>) -> tensor<1xui32>
    %120 = "stablehlo.convert"(%116) : (tensor<1xui64>) -> tensor<1xui32>
    %121 = "stablehlo.xor"(%119, %98) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %122 = "stablehlo.xor"(%121, %104) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %123 = "stablehlo.xor"(%112, %91) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %124 = "stablehlo.xor"(%123, %106) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %125 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %126 = "stablehlo.add"(%104, %125) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %127 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %128 = "stablehlo.add"(%106, %127) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %129 = "stablehlo.convert"(%122) : (tensor<1xui32>) -> tensor<1xui64>
    %130 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %131 = "stablehlo.multiply"(%129, %130) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %132 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %133 = "stablehlo.shift_right_logical"(%131, %132) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %134 = "stablehlo.convert"(%133) : (tensor<1xui64>) -> tensor<1xui32>
    %135 = "stablehlo.convert"(%131) : (tensor<1xui64>) -> tensor<1xui32>
    %136 = "stablehlo.convert"(%124) : (tensor<1xui32>) -> tensor<1xui64>
    %137 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %138 = "stablehlo.multiply"(%136, %137) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %139 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %140 = "stablehlo.shift_right_logical"(%138, %139) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %141 = "stablehlo.convert"(%140) : (tensor<1xui64>) -> tensor<1xui32>
    %142 = "stablehlo.convert"(%138) : (tensor<1xui64>) -> tensor<1xui32>
    %143 = "stablehlo.xor"(%141, %120) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %144 = "stablehlo.xor"(%143, %126) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %145 = "stablehlo.xor"(%134, %113) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %146 = "stablehlo.xor"(%145, %128) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %147 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %148 = "stablehlo.add"(%126, %147) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %149 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %150 = "stablehlo.add"(%128, %149) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %151 = "stablehlo.convert"(%144) : (tensor<1xui32>) -> tensor<1xui64>
    %152 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %153 = "stablehlo.multiply"(%151, %152) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %154 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %155 = "stablehlo.shift_right_logical"(%153, %154) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %156 = "stablehlo.convert"(%155) : (tensor<1xui64>) -> tensor<1xui32>
    %157 = "stablehlo.convert"(%153) : (tensor<1xui64>) -> tensor<1xui32>
    %158 = "stablehlo.convert"(%146) : (tensor<1xui32>) -> tensor<1xui64>
    %159 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %160 = "stablehlo.multiply"(%158, %159) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %161 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %162 = "stablehlo.shift_right_logical"(%160, %161) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %163 = "stablehlo.convert"(%162) : (tensor<1xui64>) -> tensor<1xui32>
    %164 = "stablehlo.convert"(%160) : (tensor<1xui64>) -> tensor<1xui32>
    %165 = "stablehlo.xor"(%163, %142) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %166 = "stablehlo.xor"(%165, %148) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %167 = "stablehlo.xor"(%156, %135) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %168 = "stablehlo.xor"(%167, %150) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %169 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %170 = "stablehlo.add"(%148, %169) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %171 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %172 = "stablehlo.add"(%150, %171) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %173 = "stablehlo.convert"(%166) : (tensor<1xui32>) -> tensor<1xui64>
    %174 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %175 = "stablehlo.multiply"(%173, %174) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %176 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %177 = "stablehlo.shift_right_logical"(%175, %176) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %178 = "stablehlo.convert"(%177) : (tensor<1xui64>) -> tensor<1xui32>
    %179 = "stablehlo.convert"(%175) : (tensor<1xui64>) -> tensor<1xui32>
    %180 = "stablehlo.convert"(%168) : (tensor<1xui32>) -> tensor<1xui64>
    %181 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %182 = "stablehlo.multiply"(%180, %181) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %183 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %184 = "stablehlo.shift_right_logical"(%182, %183) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %185 = "stablehlo.convert"(%184) : (tensor<1xui64>) -> tensor<1xui32>
    %186 = "stablehlo.convert"(%182) : (tensor<1xui64>) -> tensor<1xui32>
    %187 = "stablehlo.xor"(%185, %164) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %188 = "stablehlo.xor"(%187, %170) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %189 = "stablehlo.xor"(%178, %157) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %190 = "stablehlo.xor"(%189, %172) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %191 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %192 = "stablehlo.add"(%170, %191) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %193 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %194 = "stablehlo.add"(%172, %193) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %195 = "stablehlo.convert"(%188) : (tensor<1xui32>) -> tensor<1xui64>
    %196 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %197 = "stablehlo.multiply"(%195, %196) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %198 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %199 = "stablehlo.shift_right_logical"(%197, %198) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %200 = "stablehlo.convert"(%199) : (tensor<1xui64>) -> tensor<1xui32>
    %201 = "stablehlo.convert"(%197) : (tensor<1xui64>) -> tensor<1xui32>
    %202 = "stablehlo.convert"(%190) : (tensor<1xui32>) -> tensor<1xui64>
    %203 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %204 = "stablehlo.multiply"(%202, %203) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %205 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %206 = "stablehlo.shift_right_logical"(%204, %205) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %207 = "stablehlo.convert"(%206) : (tensor<1xui64>) -> tensor<1xui32>
    %208 = "stablehlo.convert"(%204) : (tensor<1xui64>) -> tensor<1xui32>
    %209 = "stablehlo.xor"(%207, %186) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %210 = "stablehlo.xor"(%209, %192) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %211 = "stablehlo.xor"(%200, %179) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %212 = "stablehlo.xor"(%211, %194) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %213 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %214 = "stablehlo.add"(%192, %213) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %215 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %216 = "stablehlo.add"(%194, %215) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %217 = "stablehlo.convert"(%210) : (tensor<1xui32>) -> tensor<1xui64>
    %218 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %219 = "stablehlo.multiply"(%217, %218) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %220 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %221 = "stablehlo.shift_right_logical"(%219, %220) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %222 = "stablehlo.convert"(%221) : (tensor<1xui64>) -> tensor<1xui32>
    %223 = "stablehlo.convert"(%219) : (tensor<1xui64>) -> tensor<1xui32>
    %224 = "stablehlo.convert"(%212) : (tensor<1xui32>) -> tensor<1xui64>
    %225 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %226 = "stablehlo.multiply"(%224, %225) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %227 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %228 = "stablehlo.shift_right_logical"(%226, %227) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %229 = "stablehlo.convert"(%228) : (tensor<1xui64>) -> tensor<1xui32>
    %230 = "stablehlo.convert"(%226) : (tensor<1xui64>) -> tensor<1xui32>
    %231 = "stablehlo.xor"(%229, %208) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %232 = "stablehlo.xor"(%231, %214) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %233 = "stablehlo.xor"(%222, %201) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %234 = "stablehlo.xor"(%233, %216) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %235 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %236 = "stablehlo.add"(%214, %235) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %237 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %238 = "stablehlo.add"(%216, %237) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %239 = "stablehlo.reshape"(%232) : (tensor<1xui32>) -> tensor<1x1xui32>
    %240 = "stablehlo.reshape"(%230) : (tensor<1xui32>) -> tensor<1x1xui32>
    %241 = "stablehlo.reshape"(%234) : (tensor<1xui32>) -> tensor<1x1xui32>
    %242 = "stablehlo.reshape"(%223) : (tensor<1xui32>) -> tensor<1x1xui32>
    %243 = "stablehlo.concatenate"(%239, %240, %241, %242) <{dimension = 1 : i64}> : (tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>) -> tensor<1x4xui32>
    %244 = "stablehlo.reshape"(%243) : (tensor<1x4xui32>) -> tensor<4xui32>
    %245 = "stablehlo.slice"(%244) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %246 = "stablehlo.reshape"(%245) : (tensor<1xui32>) -> tensor<ui32>
    %247 = "stablehlo.bitcast_convert"(%246) : (tensor<ui32>) -> tensor<i32>
    %248 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %249 = "stablehlo.broadcast_in_dim"(%248) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<0xi32>
    %250 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xui64>
    %251 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %252 = "stablehlo.convert"(%251) : (tensor<1xi64>) -> tensor<1xui64>
    %253 = "stablehlo.reshape"(%252) : (tensor<1xui64>) -> tensor<ui64>
    %254 = "stablehlo.broadcast_in_dim"(%253) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %255 = "stablehlo.add"(%254, %250) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %256 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %257 = "stablehlo.convert"(%256) : (tensor<1xi64>) -> tensor<1xui64>
    %258 = "stablehlo.reshape"(%257) : (tensor<1xui64>) -> tensor<ui64>
    %259 = "stablehlo.broadcast_in_dim"(%258) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %260 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %261 = "stablehlo.shift_right_logical"(%259, %260) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %262 = "stablehlo.convert"(%261) : (tensor<1xui64>) -> tensor<1xui32>
    %263 = "stablehlo.convert"(%259) : (tensor<1xui64>) -> tensor<1xui32>
    %264 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %265 = "stablehlo.shift_right_logical"(%255, %264) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %266 = "stablehlo.convert"(%265) : (tensor<1xui64>) -> tensor<1xui32>
    %267 = "stablehlo.convert"(%255) : (tensor<1xui64>) -> tensor<1xui32>
    %268 = "stablehlo.constant"() <{value = dense<0> : tensor<1xui32>}> : () -> tensor<1xui32>
    %269 = "stablehlo.convert"(%267) : (tensor<1xui32>) -> tensor<1xui64>
    %270 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %271 = "stablehlo.multiply"(%269, %270) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %272 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %273 = "stablehlo.shift_right_logical"(%271, %272) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %274 = "stablehlo.convert"(%273) : (tensor<1xui64>) -> tensor<1xui32>
    %275 = "stablehlo.convert"(%271) : (tensor<1xui64>) -> tensor<1xui32>
    %276 = "stablehlo.convert"(%268) : (tensor<1xui32>) -> tensor<1xui64>
    %277 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %278 = "stablehlo.multiply"(%276, %277) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %279 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %280 = "stablehlo.shift_right_logical"(%278, %279) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %281 = "stablehlo.convert"(%280) : (tensor<1xui64>) -> tensor<1xui32>
    %282 = "stablehlo.convert"(%278) : (tensor<1xui64>) -> tensor<1xui32>
    %283 = "stablehlo.xor"(%281, %266) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %284 = "stablehlo.xor"(%283, %263) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %285 = "stablehlo.xor"(%274, %268) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %286 = "stablehlo.xor"(%285, %262) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %287 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %288 = "stablehlo.add"(%263, %287) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %289 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %290 = "stablehlo.add"(%262, %289) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %291 = "stablehlo.convert"(%284) : (tensor<1xui32>) -> tensor<1xui64>
    %292 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %293 = "stablehlo.multiply"(%291, %292) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %294 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %295 = "stablehlo.shift_right_logical"(%293, %294) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %296 = "stablehlo.convert"(%295) : (tensor<1xui64>) -> tensor<1xui32>
    %297 = "stablehlo.convert"(%293) : (tensor<1xui64>) -> tensor<1xui32>
    %298 = "stablehlo.convert"(%286) : (tensor<1xui32>) -> tensor<1xui64>
    %299 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %300 = "stablehlo.multiply"(%298, %299) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %301 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %302 = "stablehlo.shift_right_logical"(%300, %301) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %303 = "stablehlo.convert"(%302) : (tensor<1xui64>) -> tensor<1xui32>
    %304 = "stablehlo.convert"(%300) : (tensor<1xui64>) -> tensor<1xui32>
    %305 = "stablehlo.xor"(%303, %282) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %306 = "stablehlo.xor"(%305, %288) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %307 = "stablehlo.xor"(%296, %275) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %308 = "stablehlo.xor"(%307, %290) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %309 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %310 = "stablehlo.add"(%288, %309) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %311 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %312 = "stablehlo.add"(%290, %311) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %313 = "stablehlo.convert"(%306) : (tensor<1xui32>) -> tensor<1xui64>
    %314 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %315 = "stablehlo.multiply"(%313, %314) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %316 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %317 = "stablehlo.shift_right_logical"(%315, %316) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %318 = "stablehlo.convert"(%317) : (tensor<1xui64>) -> tensor<1xui32>
    %319 = "stablehlo.convert"(%315) : (tensor<1xui64>) -> tensor<1xui32>
    %320 = "stablehlo.convert"(%308) : (tensor<1xui32>) -> tensor<1xui64>
    %321 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %322 = "stablehlo.multiply"(%320, %321) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %323 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %324 = "stablehlo.shift_right_logical"(%322, %323) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %325 = "stablehlo.convert"(%324) : (tensor<1xui64>) -> tensor<1xui32>
    %326 = "stablehlo.convert"(%322) : (tensor<1xui64>) -> tensor<1xui32>
    %327 = "stablehlo.xor"(%325, %304) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %328 = "stablehlo.xor"(%327, %310) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %329 = "stablehlo.xor"(%318, %297) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %330 = "stablehlo.xor"(%329, %312) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %331 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %332 = "stablehlo.add"(%310, %331) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %333 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %334 = "stablehlo.add"(%312, %333) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %335 = "stablehlo.convert"(%328) : (tensor<1xui32>) -> tensor<1xui64>
    %336 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %337 = "stablehlo.multiply"(%335, %336) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %338 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %339 = "stablehlo.shift_right_logical"(%337, %338) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %340 = "stablehlo.convert"(%339) : (tensor<1xui64>) -> tensor<1xui32>
    %341 = "stablehlo.convert"(%337) : (tensor<1xui64>) -> tensor<1xui32>
    %342 = "stablehlo.convert"(%330) : (tensor<1xui32>) -> tensor<1xui64>
    %343 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %344 = "stablehlo.multiply"(%342, %343) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %345 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %346 = "stablehlo.shift_right_logical"(%344, %345) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %347 = "stablehlo.convert"(%346) : (tensor<1xui64>) -> tensor<1xui32>
    %348 = "stablehlo.convert"(%344) : (tensor<1xui64>) -> tensor<1xui32>
    %349 = "stablehlo.xor"(%347, %326) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %350 = "stablehlo.xor"(%349, %332) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %351 = "stablehlo.xor"(%340, %319) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %352 = "stablehlo.xor"(%351, %334) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %353 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %354 = "stablehlo.add"(%332, %353) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %355 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %356 = "stablehlo.add"(%334, %355) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %357 = "stablehlo.convert"(%350) : (tensor<1xui32>) -> tensor<1xui64>
    %358 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %359 = "stablehlo.multiply"(%357, %358) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %360 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %361 = "stablehlo.shift_right_logical"(%359, %360) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %362 = "stablehlo.convert"(%361) : (tensor<1xui64>) -> tensor<1xui32>
    %363 = "stablehlo.convert"(%359) : (tensor<1xui64>) -> tensor<1xui32>
    %364 = "stablehlo.convert"(%352) : (tensor<1xui32>) -> tensor<1xui64>
    %365 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %366 = "stablehlo.multiply"(%364, %365) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %367 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %368 = "stablehlo.shift_right_logical"(%366, %367) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %369 = "stablehlo.convert"(%368) : (tensor<1xui64>) -> tensor<1xui32>
    %370 = "stablehlo.convert"(%366) : (tensor<1xui64>) -> tensor<1xui32>
    %371 = "stablehlo.xor"(%369, %348) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %372 = "stablehlo.xor"(%371, %354) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %373 = "stablehlo.xor"(%362, %341) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %374 = "stablehlo.xor"(%373, %356) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %375 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %376 = "stablehlo.add"(%354, %375) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %377 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %378 = "stablehlo.add"(%356, %377) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %379 = "stablehlo.convert"(%372) : (tensor<1xui32>) -> tensor<1xui64>
    %380 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %381 = "stablehlo.multiply"(%379, %380) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %382 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %383 = "stablehlo.shift_right_logical"(%381, %382) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %384 = "stablehlo.convert"(%383) : (tensor<1xui64>) -> tensor<1xui32>
    %385 = "stablehlo.convert"(%381) : (tensor<1xui64>) -> tensor<1xui32>
    %386 = "stablehlo.convert"(%374) : (tensor<1xui32>) -> tensor<1xui64>
    %387 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %388 = "stablehlo.multiply"(%386, %387) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %389 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %390 = "stablehlo.shift_right_logical"(%388, %389) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %391 = "stablehlo.convert"(%390) : (tensor<1xui64>) -> tensor<1xui32>
    %392 = "stablehlo.convert"(%388) : (tensor<1xui64>) -> tensor<1xui32>
    %393 = "stablehlo.xor"(%391, %370) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %394 = "stablehlo.xor"(%393, %376) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %395 = "stablehlo.xor"(%384, %363) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %396 = "stablehlo.xor"(%395, %378) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %397 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %398 = "stablehlo.add"(%376, %397) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %399 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %400 = "stablehlo.add"(%378, %399) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %401 = "stablehlo.convert"(%394) : (tensor<1xui32>) -> tensor<1xui64>
    %402 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %403 = "stablehlo.multiply"(%401, %402) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %404 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %405 = "stablehlo.shift_right_logical"(%403, %404) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %406 = "stablehlo.convert"(%405) : (tensor<1xui64>) -> tensor<1xui32>
    %407 = "stablehlo.convert"(%403) : (tensor<1xui64>) -> tensor<1xui32>
    %408 = "stablehlo.convert"(%396) : (tensor<1xui32>) -> tensor<1xui64>
    %409 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %410 = "stablehlo.multiply"(%408, %409) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %411 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %412 = "stablehlo.shift_right_logical"(%410, %411) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %413 = "stablehlo.convert"(%412) : (tensor<1xui64>) -> tensor<1xui32>
    %414 = "stablehlo.convert"(%410) : (tensor<1xui64>) -> tensor<1xui32>
    %415 = "stablehlo.xor"(%413, %392) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %416 = "stablehlo.xor"(%415, %398) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %417 = "stablehlo.xor"(%406, %385) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %418 = "stablehlo.xor"(%417, %400) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %419 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %420 = "stablehlo.add"(%398, %419) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %421 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %422 = "stablehlo.add"(%400, %421) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %423 = "stablehlo.convert"(%416) : (tensor<1xui32>) -> tensor<1xui64>
    %424 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %425 = "stablehlo.multiply"(%423, %424) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %426 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %427 = "stablehlo.shift_right_logical"(%425, %426) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %428 = "stablehlo.convert"(%427) : (tensor<1xui64>) -> tensor<1xui32>
    %429 = "stablehlo.convert"(%425) : (tensor<1xui64>) -> tensor<1xui32>
    %430 = "stablehlo.convert"(%418) : (tensor<1xui32>) -> tensor<1xui64>
    %431 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %432 = "stablehlo.multiply"(%430, %431) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %433 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %434 = "stablehlo.shift_right_logical"(%432, %433) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %435 = "stablehlo.convert"(%434) : (tensor<1xui64>) -> tensor<1xui32>
    %436 = "stablehlo.convert"(%432) : (tensor<1xui64>) -> tensor<1xui32>
    %437 = "stablehlo.xor"(%435, %414) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %438 = "stablehlo.xor"(%437, %420) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %439 = "stablehlo.xor"(%428, %407) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %440 = "stablehlo.xor"(%439, %422) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %441 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %442 = "stablehlo.add"(%420, %441) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %443 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %444 = "stablehlo.add"(%422, %443) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %445 = "stablehlo.convert"(%438) : (tensor<1xui32>) -> tensor<1xui64>
    %446 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %447 = "stablehlo.multiply"(%445, %446) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %448 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %449 = "stablehlo.shift_right_logical"(%447, %448) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %450 = "stablehlo.convert"(%449) : (tensor<1xui64>) -> tensor<1xui32>
    %451 = "stablehlo.convert"(%447) : (tensor<1xui64>) -> tensor<1xui32>
    %452 = "stablehlo.convert"(%440) : (tensor<1xui32>) -> tensor<1xui64>
    %453 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %454 = "stablehlo.multiply"(%452, %453) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %455 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %456 = "stablehlo.shift_right_logical"(%454, %455) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %457 = "stablehlo.convert"(%456) : (tensor<1xui64>) -> tensor<1xui32>
    %458 = "stablehlo.convert"(%454) : (tensor<1xui64>) -> tensor<1xui32>
    %459 = "stablehlo.xor"(%457, %436) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %460 = "stablehlo.xor"(%459, %442) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %461 = "stablehlo.xor"(%450, %429) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %462 = "stablehlo.xor"(%461, %444) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %463 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %464 = "stablehlo.add"(%442, %463) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %465 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %466 = "stablehlo.add"(%444, %465) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %467 = "stablehlo.convert"(%460) : (tensor<1xui32>) -> tensor<1xui64>
    %468 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %469 = "stablehlo.multiply"(%467, %468) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %470 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %471 = "stablehlo.shift_right_logical"(%469, %470) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %472 = "stablehlo.convert"(%471) : (tensor<1xui64>) -> tensor<1xui32>
    %473 = "stablehlo.convert"(%469) : (tensor<1xui64>) -> tensor<1xui32>
    %474 = "stablehlo.convert"(%462) : (tensor<1xui32>) -> tensor<1xui64>
    %475 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %476 = "stablehlo.multiply"(%474, %475) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %477 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %478 = "stablehlo.shift_right_logical"(%476, %477) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %479 = "stablehlo.convert"(%478) : (tensor<1xui64>) -> tensor<1xui32>
    %480 = "stablehlo.convert"(%476) : (tensor<1xui64>) -> tensor<1xui32>
    %481 = "stablehlo.xor"(%479, %458) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %482 = "stablehlo.xor"(%481, %464) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %483 = "stablehlo.xor"(%472, %451) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %484 = "stablehlo.xor"(%483, %466) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %485 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %486 = "stablehlo.add"(%464, %485) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %487 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %488 = "stablehlo.add"(%466, %487) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %489 = "stablehlo.reshape"(%482) : (tensor<1xui32>) -> tensor<1x1xui32>
    %490 = "stablehlo.reshape"(%480) : (tensor<1xui32>) -> tensor<1x1xui32>
    %491 = "stablehlo.reshape"(%484) : (tensor<1xui32>) -> tensor<1x1xui32>
    %492 = "stablehlo.reshape"(%473) : (tensor<1xui32>) -> tensor<1x1xui32>
    %493 = "stablehlo.concatenate"(%489, %490, %491, %492) <{dimension = 1 : i64}> : (tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>) -> tensor<1x4xui32>
    %494 = "stablehlo.reshape"(%493) : (tensor<1x4xui32>) -> tensor<4xui32>
    %495 = "stablehlo.slice"(%494) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<1xui32>
    %496 = "stablehlo.bitcast_convert"(%495) : (tensor<1xui32>) -> tensor<1xi32>
    %497 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xui64>
    %498 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %499 = "stablehlo.convert"(%498) : (tensor<1xi64>) -> tensor<1xui64>
    %500 = "stablehlo.reshape"(%499) : (tensor<1xui64>) -> tensor<ui64>
    %501 = "stablehlo.broadcast_in_dim"(%500) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %502 = "stablehlo.add"(%501, %497) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %503 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %504 = "stablehlo.convert"(%503) : (tensor<1xi64>) -> tensor<1xui64>
    %505 = "stablehlo.reshape"(%504) : (tensor<1xui64>) -> tensor<ui64>
    %506 = "stablehlo.broadcast_in_dim"(%505) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %507 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %508 = "stablehlo.shift_right_logical"(%506, %507) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %509 = "stablehlo.convert"(%508) : (tensor<1xui64>) -> tensor<1xui32>
    %510 = "stablehlo.convert"(%506) : (tensor<1xui64>) -> tensor<1xui32>
    %511 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %512 = "stablehlo.shift_right_logical"(%502, %511) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %513 = "stablehlo.convert"(%512) : (tensor<1xui64>) -> tensor<1xui32>
    %514 = "stablehlo.convert"(%502) : (tensor<1xui64>) -> tensor<1xui32>
    %515 = "stablehlo.constant"() <{value = dense<0> : tensor<1xui32>}> : () -> tensor<1xui32>
    %516 = "stablehlo.convert"(%514) : (tensor<1xui32>) -> tensor<1xui64>
    %517 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %518 = "stablehlo.multiply"(%516, %517) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %519 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %520 = "stablehlo.shift_right_logical"(%518, %519) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %521 = "stablehlo.convert"(%520) : (tensor<1xui64>) -> tensor<1xui32>
    %522 = "stablehlo.convert"(%518) : (tensor<1xui64>) -> tensor<1xui32>
    %523 = "stablehlo.convert"(%515) : (tensor<1xui32>) -> tensor<1xui64>
    %524 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %525 = "stablehlo.multiply"(%523, %524) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %526 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %527 = "stablehlo.shift_right_logical"(%525, %526) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %528 = "stablehlo.convert"(%527) : (tensor<1xui64>) -> tensor<1xui32>
    %529 = "stablehlo.convert"(%525) : (tensor<1xui64>) -> tensor<1xui32>
    %530 = "stablehlo.xor"(%528, %513) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %531 = "stablehlo.xor"(%530, %510) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %532 = "stablehlo.xor"(%521, %515) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %533 = "stablehlo.xor"(%532, %509) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %534 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %535 = "stablehlo.add"(%510, %534) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %536 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %537 = "stablehlo.add"(%509, %536) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %538 = "stablehlo.convert"(%531) : (tensor<1xui32>) -> tensor<1xui64>
    %539 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %540 = "stablehlo.multiply"(%538, %539) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %541 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %542 = "stablehlo.shift_right_logical"(%540, %541) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %543 = "stablehlo.convert"(%542) : (tensor<1xui64>) -> tensor<1xui32>
    %544 = "stablehlo.convert"(%540) : (tensor<1xui64>) -> tensor<1xui32>
    %545 = "stablehlo.convert"(%533) : (tensor<1xui32>) -> tensor<1xui64>
    %546 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %547 = "stablehlo.multiply"(%545, %546) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %548 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %549 = "stablehlo.shift_right_logical"(%547, %548) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %550 = "stablehlo.convert"(%549) : (tensor<1xui64>) -> tensor<1xui32>
    %551 = "stablehlo.convert"(%547) : (tensor<1xui64>) -> tensor<1xui32>
    %552 = "stablehlo.xor"(%550, %529) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %553 = "stablehlo.xor"(%552, %535) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %554 = "stablehlo.xor"(%543, %522) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %555 = "stablehlo.xor"(%554, %537) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %556 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %557 = "stablehlo.add"(%535, %556) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %558 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %559 = "stablehlo.add"(%537, %558) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %560 = "stablehlo.convert"(%553) : (tensor<1xui32>) -> tensor<1xui64>
    %561 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %562 = "stablehlo.multiply"(%560, %561) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %563 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %564 = "stablehlo.shift_right_logical"(%562, %563) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %565 = "stablehlo.convert"(%564) : (tensor<1xui64>) -> tensor<1xui32>
    %566 = "stablehlo.convert"(%562) : (tensor<1xui64>) -> tensor<1xui32>
    %567 = "stablehlo.convert"(%555) : (tensor<1xui32>) -> tensor<1xui64>
    %568 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %569 = "stablehlo.multiply"(%567, %568) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %570 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %571 = "stablehlo.shift_right_logical"(%569, %570) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %572 = "stablehlo.convert"(%571) : (tensor<1xui64>) -> tensor<1xui32>
    %573 = "stablehlo.convert"(%569) : (tensor<1xui64>) -> tensor<1xui32>
    %574 = "stablehlo.xor"(%572, %551) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %575 = "stablehlo.xor"(%574, %557) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %576 = "stablehlo.xor"(%565, %544) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %577 = "stablehlo.xor"(%576, %559) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %578 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %579 = "stablehlo.add"(%557, %578) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %580 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %581 = "stablehlo.add"(%559, %580) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %582 = "stablehlo.convert"(%575) : (tensor<1xui32>) -> tensor<1xui64>
    %583 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %584 = "stablehlo.multiply"(%582, %583) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %585 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %586 = "stablehlo.shift_right_logical"(%584, %585) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %587 = "stablehlo.convert"(%586) : (tensor<1xui64>) -> tensor<1xui32>
    %588 = "stablehlo.convert"(%584) : (tensor<1xui64>) -> tensor<1xui32>
    %589 = "stablehlo.convert"(%577) : (tensor<1xui32>) -> tensor<1xui64>
    %590 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %591 = "stablehlo.multiply"(%589, %590) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %592 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %593 = "stablehlo.shift_right_logical"(%591, %592) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %594 = "stablehlo.convert"(%593) : (tensor<1xui64>) -> tensor<1xui32>
    %595 = "stablehlo.convert"(%591) : (tensor<1xui64>) -> tensor<1xui32>
    %596 = "stablehlo.xor"(%594, %573) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %597 = "stablehlo.xor"(%596, %579) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %598 = "stablehlo.xor"(%587, %566) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %599 = "stablehlo.xor"(%598, %581) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %600 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %601 = "stablehlo.add"(%579, %600) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %602 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %603 = "stablehlo.add"(%581, %602) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %604 = "stablehlo.convert"(%597) : (tensor<1xui32>) -> tensor<1xui64>
    %605 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %606 = "stablehlo.multiply"(%604, %605) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %607 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %608 = "stablehlo.shift_right_logical"(%606, %607) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %609 = "stablehlo.convert"(%608) : (tensor<1xui64>) -> tensor<1xui32>
    %610 = "stablehlo.convert"(%606) : (tensor<1xui64>) -> tensor<1xui32>
    %611 = "stablehlo.convert"(%599) : (tensor<1xui32>) -> tensor<1xui64>
    %612 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %613 = "stablehlo.multiply"(%611, %612) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %614 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %615 = "stablehlo.shift_right_logical"(%613, %614) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %616 = "stablehlo.convert"(%615) : (tensor<1xui64>) -> tensor<1xui32>
    %617 = "stablehlo.convert"(%613) : (tensor<1xui64>) -> tensor<1xui32>
    %618 = "stablehlo.xor"(%616, %595) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %619 = "stablehlo.xor"(%618, %601) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %620 = "stablehlo.xor"(%609, %588) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %621 = "stablehlo.xor"(%620, %603) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %622 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %623 = "stablehlo.add"(%601, %622) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %624 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %625 = "stablehlo.add"(%603, %624) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %626 = "stablehlo.convert"(%619) : (tensor<1xui32>) -> tensor<1xui64>
    %627 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %628 = "stablehlo.multiply"(%626, %627) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %629 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %630 = "stablehlo.shift_right_logical"(%628, %629) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %631 = "stablehlo.convert"(%630) : (tensor<1xui64>) -> tensor<1xui32>
    %632 = "stablehlo.convert"(%628) : (tensor<1xui64>) -> tensor<1xui32>
    %633 = "stablehlo.convert"(%621) : (tensor<1xui32>) -> tensor<1xui64>
    %634 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %635 = "stablehlo.multiply"(%633, %634) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %636 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %637 = "stablehlo.shift_right_logical"(%635, %636) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %638 = "stablehlo.convert"(%637) : (tensor<1xui64>) -> tensor<1xui32>
    %639 = "stablehlo.convert"(%635) : (tensor<1xui64>) -> tensor<1xui32>
    %640 = "stablehlo.xor"(%638, %617) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %641 = "stablehlo.xor"(%640, %623) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %642 = "stablehlo.xor"(%631, %610) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %643 = "stablehlo.xor"(%642, %625) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %644 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %645 = "stablehlo.add"(%623, %644) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %646 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %647 = "stablehlo.add"(%625, %646) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %648 = "stablehlo.convert"(%641) : (tensor<1xui32>) -> tensor<1xui64>
    %649 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %650 = "stablehlo.multiply"(%648, %649) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %651 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %652 = "stablehlo.shift_right_logical"(%650, %651) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %653 = "stablehlo.convert"(%652) : (tensor<1xui64>) -> tensor<1xui32>
    %654 = "stablehlo.convert"(%650) : (tensor<1xui64>) -> tensor<1xui32>
    %655 = "stablehlo.convert"(%643) : (tensor<1xui32>) -> tensor<1xui64>
    %656 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %657 = "stablehlo.multiply"(%655, %656) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %658 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %659 = "stablehlo.shift_right_logical"(%657, %658) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %660 = "stablehlo.convert"(%659) : (tensor<1xui64>) -> tensor<1xui32>
    %661 = "stablehlo.convert"(%657) : (tensor<1xui64>) -> tensor<1xui32>
    %662 = "stablehlo.xor"(%660, %639) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %663 = "stablehlo.xor"(%662, %645) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %664 = "stablehlo.xor"(%653, %632) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %665 = "stablehlo.xor"(%664, %647) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %666 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %667 = "stablehlo.add"(%645, %666) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %668 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %669 = "stablehlo.add"(%647, %668) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %670 = "stablehlo.convert"(%663) : (tensor<1xui32>) -> tensor<1xui64>
    %671 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %672 = "stablehlo.multiply"(%670, %671) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %673 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %674 = "stablehlo.shift_right_logical"(%672, %673) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %675 = "stablehlo.convert"(%674) : (tensor<1xui64>) -> tensor<1xui32>
    %676 = "stablehlo.convert"(%672) : (tensor<1xui64>) -> tensor<1xui32>
    %677 = "stablehlo.convert"(%665) : (tensor<1xui32>) -> tensor<1xui64>
    %678 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %679 = "stablehlo.multiply"(%677, %678) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %680 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %681 = "stablehlo.shift_right_logical"(%679, %680) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %682 = "stablehlo.convert"(%681) : (tensor<1xui64>) -> tensor<1xui32>
    %683 = "stablehlo.convert"(%679) : (tensor<1xui64>) -> tensor<1xui32>
    %684 = "stablehlo.xor"(%682, %661) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %685 = "stablehlo.xor"(%684, %667) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %686 = "stablehlo.xor"(%675, %654) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %687 = "stablehlo.xor"(%686, %669) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %688 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %689 = "stablehlo.add"(%667, %688) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %690 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %691 = "stablehlo.add"(%669, %690) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %692 = "stablehlo.convert"(%685) : (tensor<1xui32>) -> tensor<1xui64>
    %693 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %694 = "stablehlo.multiply"(%692, %693) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %695 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %696 = "stablehlo.shift_right_logical"(%694, %695) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %697 = "stablehlo.convert"(%696) : (tensor<1xui64>) -> tensor<1xui32>
    %698 = "stablehlo.convert"(%694) : (tensor<1xui64>) -> tensor<1xui32>
    %699 = "stablehlo.convert"(%687) : (tensor<1xui32>) -> tensor<1xui64>
    %700 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %701 = "stablehlo.multiply"(%699, %700) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %702 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %703 = "stablehlo.shift_right_logical"(%701, %702) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %704 = "stablehlo.convert"(%703) : (tensor<1xui64>) -> tensor<1xui32>
    %705 = "stablehlo.convert"(%701) : (tensor<1xui64>) -> tensor<1xui32>
    %706 = "stablehlo.xor"(%704, %683) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %707 = "stablehlo.xor"(%706, %689) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %708 = "stablehlo.xor"(%697, %676) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %709 = "stablehlo.xor"(%708, %691) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %710 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %711 = "stablehlo.add"(%689, %710) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %712 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %713 = "stablehlo.add"(%691, %712) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %714 = "stablehlo.convert"(%707) : (tensor<1xui32>) -> tensor<1xui64>
    %715 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %716 = "stablehlo.multiply"(%714, %715) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %717 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %718 = "stablehlo.shift_right_logical"(%716, %717) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %719 = "stablehlo.convert"(%718) : (tensor<1xui64>) -> tensor<1xui32>
    %720 = "stablehlo.convert"(%716) : (tensor<1xui64>) -> tensor<1xui32>
    %721 = "stablehlo.convert"(%709) : (tensor<1xui32>) -> tensor<1xui64>
    %722 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %723 = "stablehlo.multiply"(%721, %722) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %724 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %725 = "stablehlo.shift_right_logical"(%723, %724) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %726 = "stablehlo.convert"(%725) : (tensor<1xui64>) -> tensor<1xui32>
    %727 = "stablehlo.convert"(%723) : (tensor<1xui64>) -> tensor<1xui32>
    %728 = "stablehlo.xor"(%726, %705) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %729 = "stablehlo.xor"(%728, %711) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %730 = "stablehlo.xor"(%719, %698) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %731 = "stablehlo.xor"(%730, %713) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %732 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %733 = "stablehlo.add"(%711, %732) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %734 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %735 = "stablehlo.add"(%713, %734) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %736 = "stablehlo.reshape"(%729) : (tensor<1xui32>) -> tensor<1x1xui32>
    %737 = "stablehlo.reshape"(%727) : (tensor<1xui32>) -> tensor<1x1xui32>
    %738 = "stablehlo.reshape"(%731) : (tensor<1xui32>) -> tensor<1x1xui32>
    %739 = "stablehlo.reshape"(%720) : (tensor<1xui32>) -> tensor<1x1xui32>
    %740 = "stablehlo.concatenate"(%736, %737, %738, %739) <{dimension = 1 : i64}> : (tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>) -> tensor<1x4xui32>
    %741 = "stablehlo.reshape"(%740) : (tensor<1x4xui32>) -> tensor<4xui32>
    %742 = "stablehlo.slice"(%741) <{start_indices = array<i64: 0>, limit_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<3xui32>
    %743 = "stablehlo.bitcast_convert"(%742) : (tensor<3xui32>) -> tensor<3xi32>
    %744 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<1xui64>
    %745 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %746 = "stablehlo.convert"(%745) : (tensor<1xi64>) -> tensor<1xui64>
    %747 = "stablehlo.reshape"(%746) : (tensor<1xui64>) -> tensor<ui64>
    %748 = "stablehlo.broadcast_in_dim"(%747) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %749 = "stablehlo.add"(%748, %744) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %750 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %751 = "stablehlo.convert"(%750) : (tensor<1xi64>) -> tensor<1xui64>
    %752 = "stablehlo.reshape"(%751) : (tensor<1xui64>) -> tensor<ui64>
    %753 = "stablehlo.broadcast_in_dim"(%752) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<1xui64>
    %754 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %755 = "stablehlo.shift_right_logical"(%753, %754) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %756 = "stablehlo.convert"(%755) : (tensor<1xui64>) -> tensor<1xui32>
    %757 = "stablehlo.convert"(%753) : (tensor<1xui64>) -> tensor<1xui32>
    %758 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %759 = "stablehlo.shift_right_logical"(%749, %758) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %760 = "stablehlo.convert"(%759) : (tensor<1xui64>) -> tensor<1xui32>
    %761 = "stablehlo.convert"(%749) : (tensor<1xui64>) -> tensor<1xui32>
    %762 = "stablehlo.constant"() <{value = dense<0> : tensor<1xui32>}> : () -> tensor<1xui32>
    %763 = "stablehlo.convert"(%761) : (tensor<1xui32>) -> tensor<1xui64>
    %764 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %765 = "stablehlo.multiply"(%763, %764) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %766 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %767 = "stablehlo.shift_right_logical"(%765, %766) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %768 = "stablehlo.convert"(%767) : (tensor<1xui64>) -> tensor<1xui32>
    %769 = "stablehlo.convert"(%765) : (tensor<1xui64>) -> tensor<1xui32>
    %770 = "stablehlo.convert"(%762) : (tensor<1xui32>) -> tensor<1xui64>
    %771 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %772 = "stablehlo.multiply"(%770, %771) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %773 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %774 = "stablehlo.shift_right_logical"(%772, %773) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %775 = "stablehlo.convert"(%774) : (tensor<1xui64>) -> tensor<1xui32>
    %776 = "stablehlo.convert"(%772) : (tensor<1xui64>) -> tensor<1xui32>
    %777 = "stablehlo.xor"(%775, %760) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %778 = "stablehlo.xor"(%777, %757) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %779 = "stablehlo.xor"(%768, %762) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %780 = "stablehlo.xor"(%779, %756) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %781 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %782 = "stablehlo.add"(%757, %781) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %783 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %784 = "stablehlo.add"(%756, %783) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %785 = "stablehlo.convert"(%778) : (tensor<1xui32>) -> tensor<1xui64>
    %786 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %787 = "stablehlo.multiply"(%785, %786) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %788 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %789 = "stablehlo.shift_right_logical"(%787, %788) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %790 = "stablehlo.convert"(%789) : (tensor<1xui64>) -> tensor<1xui32>
    %791 = "stablehlo.convert"(%787) : (tensor<1xui64>) -> tensor<1xui32>
    %792 = "stablehlo.convert"(%780) : (tensor<1xui32>) -> tensor<1xui64>
    %793 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %794 = "stablehlo.multiply"(%792, %793) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %795 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %796 = "stablehlo.shift_right_logical"(%794, %795) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %797 = "stablehlo.convert"(%796) : (tensor<1xui64>) -> tensor<1xui32>
    %798 = "stablehlo.convert"(%794) : (tensor<1xui64>) -> tensor<1xui32>
    %799 = "stablehlo.xor"(%797, %776) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %800 = "stablehlo.xor"(%799, %782) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %801 = "stablehlo.xor"(%790, %769) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %802 = "stablehlo.xor"(%801, %784) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %803 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %804 = "stablehlo.add"(%782, %803) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %805 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %806 = "stablehlo.add"(%784, %805) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %807 = "stablehlo.convert"(%800) : (tensor<1xui32>) -> tensor<1xui64>
    %808 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %809 = "stablehlo.multiply"(%807, %808) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %810 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %811 = "stablehlo.shift_right_logical"(%809, %810) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %812 = "stablehlo.convert"(%811) : (tensor<1xui64>) -> tensor<1xui32>
    %813 = "stablehlo.convert"(%809) : (tensor<1xui64>) -> tensor<1xui32>
    %814 = "stablehlo.convert"(%802) : (tensor<1xui32>) -> tensor<1xui64>
    %815 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %816 = "stablehlo.multiply"(%814, %815) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %817 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %818 = "stablehlo.shift_right_logical"(%816, %817) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %819 = "stablehlo.convert"(%818) : (tensor<1xui64>) -> tensor<1xui32>
    %820 = "stablehlo.convert"(%816) : (tensor<1xui64>) -> tensor<1xui32>
    %821 = "stablehlo.xor"(%819, %798) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %822 = "stablehlo.xor"(%821, %804) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %823 = "stablehlo.xor"(%812, %791) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %824 = "stablehlo.xor"(%823, %806) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %825 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %826 = "stablehlo.add"(%804, %825) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %827 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %828 = "stablehlo.add"(%806, %827) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %829 = "stablehlo.convert"(%822) : (tensor<1xui32>) -> tensor<1xui64>
    %830 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %831 = "stablehlo.multiply"(%829, %830) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %832 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %833 = "stablehlo.shift_right_logical"(%831, %832) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %834 = "stablehlo.convert"(%833) : (tensor<1xui64>) -> tensor<1xui32>
    %835 = "stablehlo.convert"(%831) : (tensor<1xui64>) -> tensor<1xui32>
    %836 = "stablehlo.convert"(%824) : (tensor<1xui32>) -> tensor<1xui64>
    %837 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %838 = "stablehlo.multiply"(%836, %837) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %839 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %840 = "stablehlo.shift_right_logical"(%838, %839) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %841 = "stablehlo.convert"(%840) : (tensor<1xui64>) -> tensor<1xui32>
    %842 = "stablehlo.convert"(%838) : (tensor<1xui64>) -> tensor<1xui32>
    %843 = "stablehlo.xor"(%841, %820) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %844 = "stablehlo.xor"(%843, %826) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %845 = "stablehlo.xor"(%834, %813) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %846 = "stablehlo.xor"(%845, %828) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %847 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %848 = "stablehlo.add"(%826, %847) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %849 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %850 = "stablehlo.add"(%828, %849) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %851 = "stablehlo.convert"(%844) : (tensor<1xui32>) -> tensor<1xui64>
    %852 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %853 = "stablehlo.multiply"(%851, %852) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %854 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %855 = "stablehlo.shift_right_logical"(%853, %854) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %856 = "stablehlo.convert"(%855) : (tensor<1xui64>) -> tensor<1xui32>
    %857 = "stablehlo.convert"(%853) : (tensor<1xui64>) -> tensor<1xui32>
    %858 = "stablehlo.convert"(%846) : (tensor<1xui32>) -> tensor<1xui64>
    %859 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %860 = "stablehlo.multiply"(%858, %859) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %861 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %862 = "stablehlo.shift_right_logical"(%860, %861) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %863 = "stablehlo.convert"(%862) : (tensor<1xui64>) -> tensor<1xui32>
    %864 = "stablehlo.convert"(%860) : (tensor<1xui64>) -> tensor<1xui32>
    %865 = "stablehlo.xor"(%863, %842) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %866 = "stablehlo.xor"(%865, %848) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %867 = "stablehlo.xor"(%856, %835) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %868 = "stablehlo.xor"(%867, %850) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %869 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %870 = "stablehlo.add"(%848, %869) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %871 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %872 = "stablehlo.add"(%850, %871) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %873 = "stablehlo.convert"(%866) : (tensor<1xui32>) -> tensor<1xui64>
    %874 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %875 = "stablehlo.multiply"(%873, %874) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %876 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %877 = "stablehlo.shift_right_logical"(%875, %876) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %878 = "stablehlo.convert"(%877) : (tensor<1xui64>) -> tensor<1xui32>
    %879 = "stablehlo.convert"(%875) : (tensor<1xui64>) -> tensor<1xui32>
    %880 = "stablehlo.convert"(%868) : (tensor<1xui32>) -> tensor<1xui64>
    %881 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %882 = "stablehlo.multiply"(%880, %881) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %883 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %884 = "stablehlo.shift_right_logical"(%882, %883) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %885 = "stablehlo.convert"(%884) : (tensor<1xui64>) -> tensor<1xui32>
    %886 = "stablehlo.convert"(%882) : (tensor<1xui64>) -> tensor<1xui32>
    %887 = "stablehlo.xor"(%885, %864) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %888 = "stablehlo.xor"(%887, %870) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %889 = "stablehlo.xor"(%878, %857) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %890 = "stablehlo.xor"(%889, %872) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %891 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %892 = "stablehlo.add"(%870, %891) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %893 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %894 = "stablehlo.add"(%872, %893) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %895 = "stablehlo.convert"(%888) : (tensor<1xui32>) -> tensor<1xui64>
    %896 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %897 = "stablehlo.multiply"(%895, %896) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %898 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %899 = "stablehlo.shift_right_logical"(%897, %898) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %900 = "stablehlo.convert"(%899) : (tensor<1xui64>) -> tensor<1xui32>
    %901 = "stablehlo.convert"(%897) : (tensor<1xui64>) -> tensor<1xui32>
    %902 = "stablehlo.convert"(%890) : (tensor<1xui32>) -> tensor<1xui64>
    %903 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %904 = "stablehlo.multiply"(%902, %903) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %905 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %906 = "stablehlo.shift_right_logical"(%904, %905) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %907 = "stablehlo.convert"(%906) : (tensor<1xui64>) -> tensor<1xui32>
    %908 = "stablehlo.convert"(%904) : (tensor<1xui64>) -> tensor<1xui32>
    %909 = "stablehlo.xor"(%907, %886) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %910 = "stablehlo.xor"(%909, %892) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %911 = "stablehlo.xor"(%900, %879) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %912 = "stablehlo.xor"(%911, %894) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %913 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %914 = "stablehlo.add"(%892, %913) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %915 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %916 = "stablehlo.add"(%894, %915) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %917 = "stablehlo.convert"(%910) : (tensor<1xui32>) -> tensor<1xui64>
    %918 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %919 = "stablehlo.multiply"(%917, %918) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %920 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %921 = "stablehlo.shift_right_logical"(%919, %920) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %922 = "stablehlo.convert"(%921) : (tensor<1xui64>) -> tensor<1xui32>
    %923 = "stablehlo.convert"(%919) : (tensor<1xui64>) -> tensor<1xui32>
    %924 = "stablehlo.convert"(%912) : (tensor<1xui32>) -> tensor<1xui64>
    %925 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %926 = "stablehlo.multiply"(%924, %925) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %927 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %928 = "stablehlo.shift_right_logical"(%926, %927) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %929 = "stablehlo.convert"(%928) : (tensor<1xui64>) -> tensor<1xui32>
    %930 = "stablehlo.convert"(%926) : (tensor<1xui64>) -> tensor<1xui32>
    %931 = "stablehlo.xor"(%929, %908) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %932 = "stablehlo.xor"(%931, %914) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %933 = "stablehlo.xor"(%922, %901) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %934 = "stablehlo.xor"(%933, %916) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %935 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %936 = "stablehlo.add"(%914, %935) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %937 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %938 = "stablehlo.add"(%916, %937) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %939 = "stablehlo.convert"(%932) : (tensor<1xui32>) -> tensor<1xui64>
    %940 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %941 = "stablehlo.multiply"(%939, %940) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %942 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %943 = "stablehlo.shift_right_logical"(%941, %942) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %944 = "stablehlo.convert"(%943) : (tensor<1xui64>) -> tensor<1xui32>
    %945 = "stablehlo.convert"(%941) : (tensor<1xui64>) -> tensor<1xui32>
    %946 = "stablehlo.convert"(%934) : (tensor<1xui32>) -> tensor<1xui64>
    %947 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %948 = "stablehlo.multiply"(%946, %947) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %949 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %950 = "stablehlo.shift_right_logical"(%948, %949) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %951 = "stablehlo.convert"(%950) : (tensor<1xui64>) -> tensor<1xui32>
    %952 = "stablehlo.convert"(%948) : (tensor<1xui64>) -> tensor<1xui32>
    %953 = "stablehlo.xor"(%951, %930) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %954 = "stablehlo.xor"(%953, %936) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %955 = "stablehlo.xor"(%944, %923) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %956 = "stablehlo.xor"(%955, %938) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %957 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %958 = "stablehlo.add"(%936, %957) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %959 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %960 = "stablehlo.add"(%938, %959) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %961 = "stablehlo.convert"(%954) : (tensor<1xui32>) -> tensor<1xui64>
    %962 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<1xui64>}> : () -> tensor<1xui64>
    %963 = "stablehlo.multiply"(%961, %962) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %964 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %965 = "stablehlo.shift_right_logical"(%963, %964) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %966 = "stablehlo.convert"(%965) : (tensor<1xui64>) -> tensor<1xui32>
    %967 = "stablehlo.convert"(%963) : (tensor<1xui64>) -> tensor<1xui32>
    %968 = "stablehlo.convert"(%956) : (tensor<1xui32>) -> tensor<1xui64>
    %969 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<1xui64>}> : () -> tensor<1xui64>
    %970 = "stablehlo.multiply"(%968, %969) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %971 = "stablehlo.constant"() <{value = dense<32> : tensor<1xui64>}> : () -> tensor<1xui64>
    %972 = "stablehlo.shift_right_logical"(%970, %971) : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xui64>
    %973 = "stablehlo.convert"(%972) : (tensor<1xui64>) -> tensor<1xui32>
    %974 = "stablehlo.convert"(%970) : (tensor<1xui64>) -> tensor<1xui32>
    %975 = "stablehlo.xor"(%973, %952) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %976 = "stablehlo.xor"(%975, %958) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %977 = "stablehlo.xor"(%966, %945) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %978 = "stablehlo.xor"(%977, %960) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %979 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<1xui32>}> : () -> tensor<1xui32>
    %980 = "stablehlo.add"(%958, %979) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %981 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<1xui32>}> : () -> tensor<1xui32>
    %982 = "stablehlo.add"(%960, %981) : (tensor<1xui32>, tensor<1xui32>) -> tensor<1xui32>
    %983 = "stablehlo.reshape"(%976) : (tensor<1xui32>) -> tensor<1x1xui32>
    %984 = "stablehlo.reshape"(%974) : (tensor<1xui32>) -> tensor<1x1xui32>
    %985 = "stablehlo.reshape"(%978) : (tensor<1xui32>) -> tensor<1x1xui32>
    %986 = "stablehlo.reshape"(%967) : (tensor<1xui32>) -> tensor<1x1xui32>
    %987 = "stablehlo.concatenate"(%983, %984, %985, %986) <{dimension = 1 : i64}> : (tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>) -> tensor<1x4xui32>
    %988 = "stablehlo.reshape"(%987) : (tensor<1x4xui32>) -> tensor<4xui32>
    %989 = "stablehlo.slice"(%988) <{start_indices = array<i64: 0>, limit_indices = array<i64: 4>, strides = array<i64: 1>}> : (tensor<4xui32>) -> tensor<4xui32>
    %990 = "stablehlo.bitcast_convert"(%989) : (tensor<4xui32>) -> tensor<4xi32>
    %991 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xui64>
    %992 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %993 = "stablehlo.convert"(%992) : (tensor<1xi64>) -> tensor<1xui64>
    %994 = "stablehlo.reshape"(%993) : (tensor<1xui64>) -> tensor<ui64>
    %995 = "stablehlo.broadcast_in_dim"(%994) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %996 = "stablehlo.add"(%995, %991) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %997 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %998 = "stablehlo.convert"(%997) : (tensor<1xi64>) -> tensor<1xui64>
    %999 = "stablehlo.reshape"(%998) : (tensor<1xui64>) -> tensor<ui64>
    %1000 = "stablehlo.broadcast_in_dim"(%999) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<2xui64>
    %1001 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1002 = "stablehlo.shift_right_logical"(%1000, %1001) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1003 = "stablehlo.convert"(%1002) : (tensor<2xui64>) -> tensor<2xui32>
    %1004 = "stablehlo.convert"(%1000) : (tensor<2xui64>) -> tensor<2xui32>
    %1005 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1006 = "stablehlo.shift_right_logical"(%996, %1005) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1007 = "stablehlo.convert"(%1006) : (tensor<2xui64>) -> tensor<2xui32>
    %1008 = "stablehlo.convert"(%996) : (tensor<2xui64>) -> tensor<2xui32>
    %1009 = "stablehlo.constant"() <{value = dense<0> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1010 = "stablehlo.convert"(%1008) : (tensor<2xui32>) -> tensor<2xui64>
    %1011 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1012 = "stablehlo.multiply"(%1010, %1011) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1013 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1014 = "stablehlo.shift_right_logical"(%1012, %1013) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1015 = "stablehlo.convert"(%1014) : (tensor<2xui64>) -> tensor<2xui32>
    %1016 = "stablehlo.convert"(%1012) : (tensor<2xui64>) -> tensor<2xui32>
    %1017 = "stablehlo.convert"(%1009) : (tensor<2xui32>) -> tensor<2xui64>
    %1018 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1019 = "stablehlo.multiply"(%1017, %1018) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1020 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1021 = "stablehlo.shift_right_logical"(%1019, %1020) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1022 = "stablehlo.convert"(%1021) : (tensor<2xui64>) -> tensor<2xui32>
    %1023 = "stablehlo.convert"(%1019) : (tensor<2xui64>) -> tensor<2xui32>
    %1024 = "stablehlo.xor"(%1022, %1007) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1025 = "stablehlo.xor"(%1024, %1004) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1026 = "stablehlo.xor"(%1015, %1009) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1027 = "stablehlo.xor"(%1026, %1003) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1028 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1029 = "stablehlo.add"(%1004, %1028) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1030 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1031 = "stablehlo.add"(%1003, %1030) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1032 = "stablehlo.convert"(%1025) : (tensor<2xui32>) -> tensor<2xui64>
    %1033 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1034 = "stablehlo.multiply"(%1032, %1033) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1035 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1036 = "stablehlo.shift_right_logical"(%1034, %1035) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1037 = "stablehlo.convert"(%1036) : (tensor<2xui64>) -> tensor<2xui32>
    %1038 = "stablehlo.convert"(%1034) : (tensor<2xui64>) -> tensor<2xui32>
    %1039 = "stablehlo.convert"(%1027) : (tensor<2xui32>) -> tensor<2xui64>
    %1040 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1041 = "stablehlo.multiply"(%1039, %1040) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1042 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1043 = "stablehlo.shift_right_logical"(%1041, %1042) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1044 = "stablehlo.convert"(%1043) : (tensor<2xui64>) -> tensor<2xui32>
    %1045 = "stablehlo.convert"(%1041) : (tensor<2xui64>) -> tensor<2xui32>
    %1046 = "stablehlo.xor"(%1044, %1023) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1047 = "stablehlo.xor"(%1046, %1029) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1048 = "stablehlo.xor"(%1037, %1016) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1049 = "stablehlo.xor"(%1048, %1031) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1050 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1051 = "stablehlo.add"(%1029, %1050) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1052 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1053 = "stablehlo.add"(%1031, %1052) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1054 = "stablehlo.convert"(%1047) : (tensor<2xui32>) -> tensor<2xui64>
    %1055 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1056 = "stablehlo.multiply"(%1054, %1055) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1057 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1058 = "stablehlo.shift_right_logical"(%1056, %1057) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1059 = "stablehlo.convert"(%1058) : (tensor<2xui64>) -> tensor<2xui32>
    %1060 = "stablehlo.convert"(%1056) : (tensor<2xui64>) -> tensor<2xui32>
    %1061 = "stablehlo.convert"(%1049) : (tensor<2xui32>) -> tensor<2xui64>
    %1062 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1063 = "stablehlo.multiply"(%1061, %1062) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1064 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1065 = "stablehlo.shift_right_logical"(%1063, %1064) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1066 = "stablehlo.convert"(%1065) : (tensor<2xui64>) -> tensor<2xui32>
    %1067 = "stablehlo.convert"(%1063) : (tensor<2xui64>) -> tensor<2xui32>
    %1068 = "stablehlo.xor"(%1066, %1045) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1069 = "stablehlo.xor"(%1068, %1051) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1070 = "stablehlo.xor"(%1059, %1038) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1071 = "stablehlo.xor"(%1070, %1053) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1072 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1073 = "stablehlo.add"(%1051, %1072) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1074 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1075 = "stablehlo.add"(%1053, %1074) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1076 = "stablehlo.convert"(%1069) : (tensor<2xui32>) -> tensor<2xui64>
    %1077 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1078 = "stablehlo.multiply"(%1076, %1077) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1079 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1080 = "stablehlo.shift_right_logical"(%1078, %1079) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1081 = "stablehlo.convert"(%1080) : (tensor<2xui64>) -> tensor<2xui32>
    %1082 = "stablehlo.convert"(%1078) : (tensor<2xui64>) -> tensor<2xui32>
    %1083 = "stablehlo.convert"(%1071) : (tensor<2xui32>) -> tensor<2xui64>
    %1084 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1085 = "stablehlo.multiply"(%1083, %1084) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1086 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1087 = "stablehlo.shift_right_logical"(%1085, %1086) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1088 = "stablehlo.convert"(%1087) : (tensor<2xui64>) -> tensor<2xui32>
    %1089 = "stablehlo.convert"(%1085) : (tensor<2xui64>) -> tensor<2xui32>
    %1090 = "stablehlo.xor"(%1088, %1067) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1091 = "stablehlo.xor"(%1090, %1073) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1092 = "stablehlo.xor"(%1081, %1060) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1093 = "stablehlo.xor"(%1092, %1075) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1094 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1095 = "stablehlo.add"(%1073, %1094) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1096 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1097 = "stablehlo.add"(%1075, %1096) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1098 = "stablehlo.convert"(%1091) : (tensor<2xui32>) -> tensor<2xui64>
    %1099 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1100 = "stablehlo.multiply"(%1098, %1099) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1101 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1102 = "stablehlo.shift_right_logical"(%1100, %1101) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1103 = "stablehlo.convert"(%1102) : (tensor<2xui64>) -> tensor<2xui32>
    %1104 = "stablehlo.convert"(%1100) : (tensor<2xui64>) -> tensor<2xui32>
    %1105 = "stablehlo.convert"(%1093) : (tensor<2xui32>) -> tensor<2xui64>
    %1106 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1107 = "stablehlo.multiply"(%1105, %1106) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1108 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1109 = "stablehlo.shift_right_logical"(%1107, %1108) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1110 = "stablehlo.convert"(%1109) : (tensor<2xui64>) -> tensor<2xui32>
    %1111 = "stablehlo.convert"(%1107) : (tensor<2xui64>) -> tensor<2xui32>
    %1112 = "stablehlo.xor"(%1110, %1089) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1113 = "stablehlo.xor"(%1112, %1095) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1114 = "stablehlo.xor"(%1103, %1082) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1115 = "stablehlo.xor"(%1114, %1097) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1116 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1117 = "stablehlo.add"(%1095, %1116) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1118 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1119 = "stablehlo.add"(%1097, %1118) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1120 = "stablehlo.convert"(%1113) : (tensor<2xui32>) -> tensor<2xui64>
    %1121 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1122 = "stablehlo.multiply"(%1120, %1121) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1123 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1124 = "stablehlo.shift_right_logical"(%1122, %1123) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1125 = "stablehlo.convert"(%1124) : (tensor<2xui64>) -> tensor<2xui32>
    %1126 = "stablehlo.convert"(%1122) : (tensor<2xui64>) -> tensor<2xui32>
    %1127 = "stablehlo.convert"(%1115) : (tensor<2xui32>) -> tensor<2xui64>
    %1128 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1129 = "stablehlo.multiply"(%1127, %1128) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1130 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1131 = "stablehlo.shift_right_logical"(%1129, %1130) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1132 = "stablehlo.convert"(%1131) : (tensor<2xui64>) -> tensor<2xui32>
    %1133 = "stablehlo.convert"(%1129) : (tensor<2xui64>) -> tensor<2xui32>
    %1134 = "stablehlo.xor"(%1132, %1111) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1135 = "stablehlo.xor"(%1134, %1117) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1136 = "stablehlo.xor"(%1125, %1104) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1137 = "stablehlo.xor"(%1136, %1119) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1138 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1139 = "stablehlo.add"(%1117, %1138) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1140 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1141 = "stablehlo.add"(%1119, %1140) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1142 = "stablehlo.convert"(%1135) : (tensor<2xui32>) -> tensor<2xui64>
    %1143 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1144 = "stablehlo.multiply"(%1142, %1143) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1145 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1146 = "stablehlo.shift_right_logical"(%1144, %1145) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1147 = "stablehlo.convert"(%1146) : (tensor<2xui64>) -> tensor<2xui32>
    %1148 = "stablehlo.convert"(%1144) : (tensor<2xui64>) -> tensor<2xui32>
    %1149 = "stablehlo.convert"(%1137) : (tensor<2xui32>) -> tensor<2xui64>
    %1150 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1151 = "stablehlo.multiply"(%1149, %1150) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1152 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1153 = "stablehlo.shift_right_logical"(%1151, %1152) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1154 = "stablehlo.convert"(%1153) : (tensor<2xui64>) -> tensor<2xui32>
    %1155 = "stablehlo.convert"(%1151) : (tensor<2xui64>) -> tensor<2xui32>
    %1156 = "stablehlo.xor"(%1154, %1133) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1157 = "stablehlo.xor"(%1156, %1139) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1158 = "stablehlo.xor"(%1147, %1126) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1159 = "stablehlo.xor"(%1158, %1141) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1160 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1161 = "stablehlo.add"(%1139, %1160) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1162 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1163 = "stablehlo.add"(%1141, %1162) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1164 = "stablehlo.convert"(%1157) : (tensor<2xui32>) -> tensor<2xui64>
    %1165 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1166 = "stablehlo.multiply"(%1164, %1165) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1167 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1168 = "stablehlo.shift_right_logical"(%1166, %1167) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1169 = "stablehlo.convert"(%1168) : (tensor<2xui64>) -> tensor<2xui32>
    %1170 = "stablehlo.convert"(%1166) : (tensor<2xui64>) -> tensor<2xui32>
    %1171 = "stablehlo.convert"(%1159) : (tensor<2xui32>) -> tensor<2xui64>
    %1172 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1173 = "stablehlo.multiply"(%1171, %1172) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1174 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1175 = "stablehlo.shift_right_logical"(%1173, %1174) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1176 = "stablehlo.convert"(%1175) : (tensor<2xui64>) -> tensor<2xui32>
    %1177 = "stablehlo.convert"(%1173) : (tensor<2xui64>) -> tensor<2xui32>
    %1178 = "stablehlo.xor"(%1176, %1155) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1179 = "stablehlo.xor"(%1178, %1161) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1180 = "stablehlo.xor"(%1169, %1148) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1181 = "stablehlo.xor"(%1180, %1163) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1182 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1183 = "stablehlo.add"(%1161, %1182) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1184 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1185 = "stablehlo.add"(%1163, %1184) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1186 = "stablehlo.convert"(%1179) : (tensor<2xui32>) -> tensor<2xui64>
    %1187 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1188 = "stablehlo.multiply"(%1186, %1187) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1189 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1190 = "stablehlo.shift_right_logical"(%1188, %1189) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1191 = "stablehlo.convert"(%1190) : (tensor<2xui64>) -> tensor<2xui32>
    %1192 = "stablehlo.convert"(%1188) : (tensor<2xui64>) -> tensor<2xui32>
    %1193 = "stablehlo.convert"(%1181) : (tensor<2xui32>) -> tensor<2xui64>
    %1194 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1195 = "stablehlo.multiply"(%1193, %1194) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1196 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1197 = "stablehlo.shift_right_logical"(%1195, %1196) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1198 = "stablehlo.convert"(%1197) : (tensor<2xui64>) -> tensor<2xui32>
    %1199 = "stablehlo.convert"(%1195) : (tensor<2xui64>) -> tensor<2xui32>
    %1200 = "stablehlo.xor"(%1198, %1177) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1201 = "stablehlo.xor"(%1200, %1183) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1202 = "stablehlo.xor"(%1191, %1170) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1203 = "stablehlo.xor"(%1202, %1185) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1204 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1205 = "stablehlo.add"(%1183, %1204) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1206 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1207 = "stablehlo.add"(%1185, %1206) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1208 = "stablehlo.convert"(%1201) : (tensor<2xui32>) -> tensor<2xui64>
    %1209 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1210 = "stablehlo.multiply"(%1208, %1209) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1211 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1212 = "stablehlo.shift_right_logical"(%1210, %1211) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1213 = "stablehlo.convert"(%1212) : (tensor<2xui64>) -> tensor<2xui32>
    %1214 = "stablehlo.convert"(%1210) : (tensor<2xui64>) -> tensor<2xui32>
    %1215 = "stablehlo.convert"(%1203) : (tensor<2xui32>) -> tensor<2xui64>
    %1216 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1217 = "stablehlo.multiply"(%1215, %1216) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1218 = "stablehlo.constant"() <{value = dense<32> : tensor<2xui64>}> : () -> tensor<2xui64>
    %1219 = "stablehlo.shift_right_logical"(%1217, %1218) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
    %1220 = "stablehlo.convert"(%1219) : (tensor<2xui64>) -> tensor<2xui32>
    %1221 = "stablehlo.convert"(%1217) : (tensor<2xui64>) -> tensor<2xui32>
    %1222 = "stablehlo.xor"(%1220, %1199) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1223 = "stablehlo.xor"(%1222, %1205) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1224 = "stablehlo.xor"(%1213, %1192) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1225 = "stablehlo.xor"(%1224, %1207) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1226 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1227 = "stablehlo.add"(%1205, %1226) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1228 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1229 = "stablehlo.add"(%1207, %1228) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui32>
    %1230 = "stablehlo.reshape"(%1223) : (tensor<2xui32>) -> tensor<2x1xui32>
    %1231 = "stablehlo.reshape"(%1221) : (tensor<2xui32>) -> tensor<2x1xui32>
    %1232 = "stablehlo.reshape"(%1225) : (tensor<2xui32>) -> tensor<2x1xui32>
    %1233 = "stablehlo.reshape"(%1214) : (tensor<2xui32>) -> tensor<2x1xui32>
    %1234 = "stablehlo.concatenate"(%1230, %1231, %1232, %1233) <{dimension = 1 : i64}> : (tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x4xui32>
    %1235 = "stablehlo.reshape"(%1234) : (tensor<2x4xui32>) -> tensor<8xui32>
    %1236 = "stablehlo.slice"(%1235) <{start_indices = array<i64: 0>, limit_indices = array<i64: 5>, strides = array<i64: 1>}> : (tensor<8xui32>) -> tensor<5xui32>
    %1237 = "stablehlo.bitcast_convert"(%1236) : (tensor<5xui32>) -> tensor<5xi32>
    %1238 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<9xui64>
    %1239 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %1240 = "stablehlo.convert"(%1239) : (tensor<1xi64>) -> tensor<1xui64>
    %1241 = "stablehlo.reshape"(%1240) : (tensor<1xui64>) -> tensor<ui64>
    %1242 = "stablehlo.broadcast_in_dim"(%1241) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<9xui64>
    %1243 = "stablehlo.add"(%1242, %1238) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1244 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %1245 = "stablehlo.convert"(%1244) : (tensor<1xi64>) -> tensor<1xui64>
    %1246 = "stablehlo.reshape"(%1245) : (tensor<1xui64>) -> tensor<ui64>
    %1247 = "stablehlo.broadcast_in_dim"(%1246) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<9xui64>
    %1248 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1249 = "stablehlo.shift_right_logical"(%1247, %1248) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1250 = "stablehlo.convert"(%1249) : (tensor<9xui64>) -> tensor<9xui32>
    %1251 = "stablehlo.convert"(%1247) : (tensor<9xui64>) -> tensor<9xui32>
    %1252 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1253 = "stablehlo.shift_right_logical"(%1243, %1252) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1254 = "stablehlo.convert"(%1253) : (tensor<9xui64>) -> tensor<9xui32>
    %1255 = "stablehlo.convert"(%1243) : (tensor<9xui64>) -> tensor<9xui32>
    %1256 = "stablehlo.constant"() <{value = dense<0> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1257 = "stablehlo.convert"(%1255) : (tensor<9xui32>) -> tensor<9xui64>
    %1258 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1259 = "stablehlo.multiply"(%1257, %1258) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1260 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1261 = "stablehlo.shift_right_logical"(%1259, %1260) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1262 = "stablehlo.convert"(%1261) : (tensor<9xui64>) -> tensor<9xui32>
    %1263 = "stablehlo.convert"(%1259) : (tensor<9xui64>) -> tensor<9xui32>
    %1264 = "stablehlo.convert"(%1256) : (tensor<9xui32>) -> tensor<9xui64>
    %1265 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1266 = "stablehlo.multiply"(%1264, %1265) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1267 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1268 = "stablehlo.shift_right_logical"(%1266, %1267) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1269 = "stablehlo.convert"(%1268) : (tensor<9xui64>) -> tensor<9xui32>
    %1270 = "stablehlo.convert"(%1266) : (tensor<9xui64>) -> tensor<9xui32>
    %1271 = "stablehlo.xor"(%1269, %1254) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1272 = "stablehlo.xor"(%1271, %1251) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1273 = "stablehlo.xor"(%1262, %1256) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1274 = "stablehlo.xor"(%1273, %1250) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1275 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1276 = "stablehlo.add"(%1251, %1275) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1277 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1278 = "stablehlo.add"(%1250, %1277) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1279 = "stablehlo.convert"(%1272) : (tensor<9xui32>) -> tensor<9xui64>
    %1280 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1281 = "stablehlo.multiply"(%1279, %1280) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1282 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1283 = "stablehlo.shift_right_logical"(%1281, %1282) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1284 = "stablehlo.convert"(%1283) : (tensor<9xui64>) -> tensor<9xui32>
    %1285 = "stablehlo.convert"(%1281) : (tensor<9xui64>) -> tensor<9xui32>
    %1286 = "stablehlo.convert"(%1274) : (tensor<9xui32>) -> tensor<9xui64>
    %1287 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1288 = "stablehlo.multiply"(%1286, %1287) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1289 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1290 = "stablehlo.shift_right_logical"(%1288, %1289) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1291 = "stablehlo.convert"(%1290) : (tensor<9xui64>) -> tensor<9xui32>
    %1292 = "stablehlo.convert"(%1288) : (tensor<9xui64>) -> tensor<9xui32>
    %1293 = "stablehlo.xor"(%1291, %1270) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1294 = "stablehlo.xor"(%1293, %1276) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1295 = "stablehlo.xor"(%1284, %1263) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1296 = "stablehlo.xor"(%1295, %1278) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1297 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1298 = "stablehlo.add"(%1276, %1297) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1299 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1300 = "stablehlo.add"(%1278, %1299) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1301 = "stablehlo.convert"(%1294) : (tensor<9xui32>) -> tensor<9xui64>
    %1302 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1303 = "stablehlo.multiply"(%1301, %1302) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1304 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1305 = "stablehlo.shift_right_logical"(%1303, %1304) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1306 = "stablehlo.convert"(%1305) : (tensor<9xui64>) -> tensor<9xui32>
    %1307 = "stablehlo.convert"(%1303) : (tensor<9xui64>) -> tensor<9xui32>
    %1308 = "stablehlo.convert"(%1296) : (tensor<9xui32>) -> tensor<9xui64>
    %1309 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1310 = "stablehlo.multiply"(%1308, %1309) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1311 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1312 = "stablehlo.shift_right_logical"(%1310, %1311) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1313 = "stablehlo.convert"(%1312) : (tensor<9xui64>) -> tensor<9xui32>
    %1314 = "stablehlo.convert"(%1310) : (tensor<9xui64>) -> tensor<9xui32>
    %1315 = "stablehlo.xor"(%1313, %1292) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1316 = "stablehlo.xor"(%1315, %1298) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1317 = "stablehlo.xor"(%1306, %1285) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1318 = "stablehlo.xor"(%1317, %1300) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1319 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1320 = "stablehlo.add"(%1298, %1319) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1321 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1322 = "stablehlo.add"(%1300, %1321) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1323 = "stablehlo.convert"(%1316) : (tensor<9xui32>) -> tensor<9xui64>
    %1324 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1325 = "stablehlo.multiply"(%1323, %1324) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1326 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1327 = "stablehlo.shift_right_logical"(%1325, %1326) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1328 = "stablehlo.convert"(%1327) : (tensor<9xui64>) -> tensor<9xui32>
    %1329 = "stablehlo.convert"(%1325) : (tensor<9xui64>) -> tensor<9xui32>
    %1330 = "stablehlo.convert"(%1318) : (tensor<9xui32>) -> tensor<9xui64>
    %1331 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1332 = "stablehlo.multiply"(%1330, %1331) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1333 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1334 = "stablehlo.shift_right_logical"(%1332, %1333) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1335 = "stablehlo.convert"(%1334) : (tensor<9xui64>) -> tensor<9xui32>
    %1336 = "stablehlo.convert"(%1332) : (tensor<9xui64>) -> tensor<9xui32>
    %1337 = "stablehlo.xor"(%1335, %1314) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1338 = "stablehlo.xor"(%1337, %1320) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1339 = "stablehlo.xor"(%1328, %1307) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1340 = "stablehlo.xor"(%1339, %1322) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1341 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1342 = "stablehlo.add"(%1320, %1341) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1343 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1344 = "stablehlo.add"(%1322, %1343) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1345 = "stablehlo.convert"(%1338) : (tensor<9xui32>) -> tensor<9xui64>
    %1346 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1347 = "stablehlo.multiply"(%1345, %1346) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1348 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1349 = "stablehlo.shift_right_logical"(%1347, %1348) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1350 = "stablehlo.convert"(%1349) : (tensor<9xui64>) -> tensor<9xui32>
    %1351 = "stablehlo.convert"(%1347) : (tensor<9xui64>) -> tensor<9xui32>
    %1352 = "stablehlo.convert"(%1340) : (tensor<9xui32>) -> tensor<9xui64>
    %1353 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1354 = "stablehlo.multiply"(%1352, %1353) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1355 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1356 = "stablehlo.shift_right_logical"(%1354, %1355) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1357 = "stablehlo.convert"(%1356) : (tensor<9xui64>) -> tensor<9xui32>
    %1358 = "stablehlo.convert"(%1354) : (tensor<9xui64>) -> tensor<9xui32>
    %1359 = "stablehlo.xor"(%1357, %1336) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1360 = "stablehlo.xor"(%1359, %1342) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1361 = "stablehlo.xor"(%1350, %1329) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1362 = "stablehlo.xor"(%1361, %1344) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1363 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1364 = "stablehlo.add"(%1342, %1363) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1365 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1366 = "stablehlo.add"(%1344, %1365) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1367 = "stablehlo.convert"(%1360) : (tensor<9xui32>) -> tensor<9xui64>
    %1368 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1369 = "stablehlo.multiply"(%1367, %1368) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1370 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1371 = "stablehlo.shift_right_logical"(%1369, %1370) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1372 = "stablehlo.convert"(%1371) : (tensor<9xui64>) -> tensor<9xui32>
    %1373 = "stablehlo.convert"(%1369) : (tensor<9xui64>) -> tensor<9xui32>
    %1374 = "stablehlo.convert"(%1362) : (tensor<9xui32>) -> tensor<9xui64>
    %1375 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1376 = "stablehlo.multiply"(%1374, %1375) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1377 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1378 = "stablehlo.shift_right_logical"(%1376, %1377) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1379 = "stablehlo.convert"(%1378) : (tensor<9xui64>) -> tensor<9xui32>
    %1380 = "stablehlo.convert"(%1376) : (tensor<9xui64>) -> tensor<9xui32>
    %1381 = "stablehlo.xor"(%1379, %1358) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1382 = "stablehlo.xor"(%1381, %1364) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1383 = "stablehlo.xor"(%1372, %1351) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1384 = "stablehlo.xor"(%1383, %1366) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1385 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1386 = "stablehlo.add"(%1364, %1385) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1387 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1388 = "stablehlo.add"(%1366, %1387) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1389 = "stablehlo.convert"(%1382) : (tensor<9xui32>) -> tensor<9xui64>
    %1390 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1391 = "stablehlo.multiply"(%1389, %1390) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1392 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1393 = "stablehlo.shift_right_logical"(%1391, %1392) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1394 = "stablehlo.convert"(%1393) : (tensor<9xui64>) -> tensor<9xui32>
    %1395 = "stablehlo.convert"(%1391) : (tensor<9xui64>) -> tensor<9xui32>
    %1396 = "stablehlo.convert"(%1384) : (tensor<9xui32>) -> tensor<9xui64>
    %1397 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1398 = "stablehlo.multiply"(%1396, %1397) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1399 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1400 = "stablehlo.shift_right_logical"(%1398, %1399) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1401 = "stablehlo.convert"(%1400) : (tensor<9xui64>) -> tensor<9xui32>
    %1402 = "stablehlo.convert"(%1398) : (tensor<9xui64>) -> tensor<9xui32>
    %1403 = "stablehlo.xor"(%1401, %1380) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1404 = "stablehlo.xor"(%1403, %1386) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1405 = "stablehlo.xor"(%1394, %1373) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1406 = "stablehlo.xor"(%1405, %1388) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1407 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1408 = "stablehlo.add"(%1386, %1407) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1409 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1410 = "stablehlo.add"(%1388, %1409) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1411 = "stablehlo.convert"(%1404) : (tensor<9xui32>) -> tensor<9xui64>
    %1412 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1413 = "stablehlo.multiply"(%1411, %1412) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1414 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1415 = "stablehlo.shift_right_logical"(%1413, %1414) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1416 = "stablehlo.convert"(%1415) : (tensor<9xui64>) -> tensor<9xui32>
    %1417 = "stablehlo.convert"(%1413) : (tensor<9xui64>) -> tensor<9xui32>
    %1418 = "stablehlo.convert"(%1406) : (tensor<9xui32>) -> tensor<9xui64>
    %1419 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1420 = "stablehlo.multiply"(%1418, %1419) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1421 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1422 = "stablehlo.shift_right_logical"(%1420, %1421) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1423 = "stablehlo.convert"(%1422) : (tensor<9xui64>) -> tensor<9xui32>
    %1424 = "stablehlo.convert"(%1420) : (tensor<9xui64>) -> tensor<9xui32>
    %1425 = "stablehlo.xor"(%1423, %1402) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1426 = "stablehlo.xor"(%1425, %1408) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1427 = "stablehlo.xor"(%1416, %1395) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1428 = "stablehlo.xor"(%1427, %1410) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1429 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1430 = "stablehlo.add"(%1408, %1429) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1431 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1432 = "stablehlo.add"(%1410, %1431) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1433 = "stablehlo.convert"(%1426) : (tensor<9xui32>) -> tensor<9xui64>
    %1434 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1435 = "stablehlo.multiply"(%1433, %1434) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1436 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1437 = "stablehlo.shift_right_logical"(%1435, %1436) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1438 = "stablehlo.convert"(%1437) : (tensor<9xui64>) -> tensor<9xui32>
    %1439 = "stablehlo.convert"(%1435) : (tensor<9xui64>) -> tensor<9xui32>
    %1440 = "stablehlo.convert"(%1428) : (tensor<9xui32>) -> tensor<9xui64>
    %1441 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1442 = "stablehlo.multiply"(%1440, %1441) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1443 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1444 = "stablehlo.shift_right_logical"(%1442, %1443) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1445 = "stablehlo.convert"(%1444) : (tensor<9xui64>) -> tensor<9xui32>
    %1446 = "stablehlo.convert"(%1442) : (tensor<9xui64>) -> tensor<9xui32>
    %1447 = "stablehlo.xor"(%1445, %1424) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1448 = "stablehlo.xor"(%1447, %1430) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1449 = "stablehlo.xor"(%1438, %1417) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1450 = "stablehlo.xor"(%1449, %1432) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1451 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1452 = "stablehlo.add"(%1430, %1451) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1453 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1454 = "stablehlo.add"(%1432, %1453) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1455 = "stablehlo.convert"(%1448) : (tensor<9xui32>) -> tensor<9xui64>
    %1456 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1457 = "stablehlo.multiply"(%1455, %1456) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1458 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1459 = "stablehlo.shift_right_logical"(%1457, %1458) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1460 = "stablehlo.convert"(%1459) : (tensor<9xui64>) -> tensor<9xui32>
    %1461 = "stablehlo.convert"(%1457) : (tensor<9xui64>) -> tensor<9xui32>
    %1462 = "stablehlo.convert"(%1450) : (tensor<9xui32>) -> tensor<9xui64>
    %1463 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1464 = "stablehlo.multiply"(%1462, %1463) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1465 = "stablehlo.constant"() <{value = dense<32> : tensor<9xui64>}> : () -> tensor<9xui64>
    %1466 = "stablehlo.shift_right_logical"(%1464, %1465) : (tensor<9xui64>, tensor<9xui64>) -> tensor<9xui64>
    %1467 = "stablehlo.convert"(%1466) : (tensor<9xui64>) -> tensor<9xui32>
    %1468 = "stablehlo.convert"(%1464) : (tensor<9xui64>) -> tensor<9xui32>
    %1469 = "stablehlo.xor"(%1467, %1446) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1470 = "stablehlo.xor"(%1469, %1452) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1471 = "stablehlo.xor"(%1460, %1439) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1472 = "stablehlo.xor"(%1471, %1454) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1473 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1474 = "stablehlo.add"(%1452, %1473) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1475 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<9xui32>}> : () -> tensor<9xui32>
    %1476 = "stablehlo.add"(%1454, %1475) : (tensor<9xui32>, tensor<9xui32>) -> tensor<9xui32>
    %1477 = "stablehlo.reshape"(%1470) : (tensor<9xui32>) -> tensor<9x1xui32>
    %1478 = "stablehlo.reshape"(%1468) : (tensor<9xui32>) -> tensor<9x1xui32>
    %1479 = "stablehlo.reshape"(%1472) : (tensor<9xui32>) -> tensor<9x1xui32>
    %1480 = "stablehlo.reshape"(%1461) : (tensor<9xui32>) -> tensor<9x1xui32>
    %1481 = "stablehlo.concatenate"(%1477, %1478, %1479, %1480) <{dimension = 1 : i64}> : (tensor<9x1xui32>, tensor<9x1xui32>, tensor<9x1xui32>, tensor<9x1xui32>) -> tensor<9x4xui32>
    %1482 = "stablehlo.reshape"(%1481) : (tensor<9x4xui32>) -> tensor<36xui32>
    %1483 = "stablehlo.slice"(%1482) <{start_indices = array<i64: 0>, limit_indices = array<i64: 33>, strides = array<i64: 1>}> : (tensor<36xui32>) -> tensor<33xui32>
    %1484 = "stablehlo.bitcast_convert"(%1483) : (tensor<33xui32>) -> tensor<33xi32>
    %1485 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<6xui64>
    %1486 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %1487 = "stablehlo.convert"(%1486) : (tensor<1xi64>) -> tensor<1xui64>
    %1488 = "stablehlo.reshape"(%1487) : (tensor<1xui64>) -> tensor<ui64>
    %1489 = "stablehlo.broadcast_in_dim"(%1488) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<6xui64>
    %1490 = "stablehlo.add"(%1489, %1485) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1491 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %1492 = "stablehlo.convert"(%1491) : (tensor<1xi64>) -> tensor<1xui64>
    %1493 = "stablehlo.reshape"(%1492) : (tensor<1xui64>) -> tensor<ui64>
    %1494 = "stablehlo.broadcast_in_dim"(%1493) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<6xui64>
    %1495 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1496 = "stablehlo.shift_right_logical"(%1494, %1495) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1497 = "stablehlo.convert"(%1496) : (tensor<6xui64>) -> tensor<6xui32>
    %1498 = "stablehlo.convert"(%1494) : (tensor<6xui64>) -> tensor<6xui32>
    %1499 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1500 = "stablehlo.shift_right_logical"(%1490, %1499) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1501 = "stablehlo.convert"(%1500) : (tensor<6xui64>) -> tensor<6xui32>
    %1502 = "stablehlo.convert"(%1490) : (tensor<6xui64>) -> tensor<6xui32>
    %1503 = "stablehlo.constant"() <{value = dense<0> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1504 = "stablehlo.convert"(%1502) : (tensor<6xui32>) -> tensor<6xui64>
    %1505 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1506 = "stablehlo.multiply"(%1504, %1505) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1507 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1508 = "stablehlo.shift_right_logical"(%1506, %1507) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1509 = "stablehlo.convert"(%1508) : (tensor<6xui64>) -> tensor<6xui32>
    %1510 = "stablehlo.convert"(%1506) : (tensor<6xui64>) -> tensor<6xui32>
    %1511 = "stablehlo.convert"(%1503) : (tensor<6xui32>) -> tensor<6xui64>
    %1512 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1513 = "stablehlo.multiply"(%1511, %1512) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1514 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1515 = "stablehlo.shift_right_logical"(%1513, %1514) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1516 = "stablehlo.convert"(%1515) : (tensor<6xui64>) -> tensor<6xui32>
    %1517 = "stablehlo.convert"(%1513) : (tensor<6xui64>) -> tensor<6xui32>
    %1518 = "stablehlo.xor"(%1516, %1501) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1519 = "stablehlo.xor"(%1518, %1498) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1520 = "stablehlo.xor"(%1509, %1503) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1521 = "stablehlo.xor"(%1520, %1497) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1522 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1523 = "stablehlo.add"(%1498, %1522) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1524 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1525 = "stablehlo.add"(%1497, %1524) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1526 = "stablehlo.convert"(%1519) : (tensor<6xui32>) -> tensor<6xui64>
    %1527 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1528 = "stablehlo.multiply"(%1526, %1527) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1529 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1530 = "stablehlo.shift_right_logical"(%1528, %1529) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1531 = "stablehlo.convert"(%1530) : (tensor<6xui64>) -> tensor<6xui32>
    %1532 = "stablehlo.convert"(%1528) : (tensor<6xui64>) -> tensor<6xui32>
    %1533 = "stablehlo.convert"(%1521) : (tensor<6xui32>) -> tensor<6xui64>
    %1534 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1535 = "stablehlo.multiply"(%1533, %1534) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1536 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1537 = "stablehlo.shift_right_logical"(%1535, %1536) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1538 = "stablehlo.convert"(%1537) : (tensor<6xui64>) -> tensor<6xui32>
    %1539 = "stablehlo.convert"(%1535) : (tensor<6xui64>) -> tensor<6xui32>
    %1540 = "stablehlo.xor"(%1538, %1517) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1541 = "stablehlo.xor"(%1540, %1523) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1542 = "stablehlo.xor"(%1531, %1510) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1543 = "stablehlo.xor"(%1542, %1525) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1544 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1545 = "stablehlo.add"(%1523, %1544) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1546 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1547 = "stablehlo.add"(%1525, %1546) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1548 = "stablehlo.convert"(%1541) : (tensor<6xui32>) -> tensor<6xui64>
    %1549 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1550 = "stablehlo.multiply"(%1548, %1549) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1551 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1552 = "stablehlo.shift_right_logical"(%1550, %1551) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1553 = "stablehlo.convert"(%1552) : (tensor<6xui64>) -> tensor<6xui32>
    %1554 = "stablehlo.convert"(%1550) : (tensor<6xui64>) -> tensor<6xui32>
    %1555 = "stablehlo.convert"(%1543) : (tensor<6xui32>) -> tensor<6xui64>
    %1556 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1557 = "stablehlo.multiply"(%1555, %1556) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1558 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1559 = "stablehlo.shift_right_logical"(%1557, %1558) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1560 = "stablehlo.convert"(%1559) : (tensor<6xui64>) -> tensor<6xui32>
    %1561 = "stablehlo.convert"(%1557) : (tensor<6xui64>) -> tensor<6xui32>
    %1562 = "stablehlo.xor"(%1560, %1539) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1563 = "stablehlo.xor"(%1562, %1545) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1564 = "stablehlo.xor"(%1553, %1532) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1565 = "stablehlo.xor"(%1564, %1547) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1566 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1567 = "stablehlo.add"(%1545, %1566) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1568 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1569 = "stablehlo.add"(%1547, %1568) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1570 = "stablehlo.convert"(%1563) : (tensor<6xui32>) -> tensor<6xui64>
    %1571 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1572 = "stablehlo.multiply"(%1570, %1571) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1573 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1574 = "stablehlo.shift_right_logical"(%1572, %1573) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1575 = "stablehlo.convert"(%1574) : (tensor<6xui64>) -> tensor<6xui32>
    %1576 = "stablehlo.convert"(%1572) : (tensor<6xui64>) -> tensor<6xui32>
    %1577 = "stablehlo.convert"(%1565) : (tensor<6xui32>) -> tensor<6xui64>
    %1578 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1579 = "stablehlo.multiply"(%1577, %1578) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1580 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1581 = "stablehlo.shift_right_logical"(%1579, %1580) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1582 = "stablehlo.convert"(%1581) : (tensor<6xui64>) -> tensor<6xui32>
    %1583 = "stablehlo.convert"(%1579) : (tensor<6xui64>) -> tensor<6xui32>
    %1584 = "stablehlo.xor"(%1582, %1561) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1585 = "stablehlo.xor"(%1584, %1567) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1586 = "stablehlo.xor"(%1575, %1554) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1587 = "stablehlo.xor"(%1586, %1569) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1588 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1589 = "stablehlo.add"(%1567, %1588) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1590 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1591 = "stablehlo.add"(%1569, %1590) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1592 = "stablehlo.convert"(%1585) : (tensor<6xui32>) -> tensor<6xui64>
    %1593 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1594 = "stablehlo.multiply"(%1592, %1593) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1595 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1596 = "stablehlo.shift_right_logical"(%1594, %1595) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1597 = "stablehlo.convert"(%1596) : (tensor<6xui64>) -> tensor<6xui32>
    %1598 = "stablehlo.convert"(%1594) : (tensor<6xui64>) -> tensor<6xui32>
    %1599 = "stablehlo.convert"(%1587) : (tensor<6xui32>) -> tensor<6xui64>
    %1600 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1601 = "stablehlo.multiply"(%1599, %1600) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1602 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1603 = "stablehlo.shift_right_logical"(%1601, %1602) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1604 = "stablehlo.convert"(%1603) : (tensor<6xui64>) -> tensor<6xui32>
    %1605 = "stablehlo.convert"(%1601) : (tensor<6xui64>) -> tensor<6xui32>
    %1606 = "stablehlo.xor"(%1604, %1583) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1607 = "stablehlo.xor"(%1606, %1589) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1608 = "stablehlo.xor"(%1597, %1576) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1609 = "stablehlo.xor"(%1608, %1591) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1610 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1611 = "stablehlo.add"(%1589, %1610) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1612 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1613 = "stablehlo.add"(%1591, %1612) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1614 = "stablehlo.convert"(%1607) : (tensor<6xui32>) -> tensor<6xui64>
    %1615 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1616 = "stablehlo.multiply"(%1614, %1615) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1617 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1618 = "stablehlo.shift_right_logical"(%1616, %1617) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1619 = "stablehlo.convert"(%1618) : (tensor<6xui64>) -> tensor<6xui32>
    %1620 = "stablehlo.convert"(%1616) : (tensor<6xui64>) -> tensor<6xui32>
    %1621 = "stablehlo.convert"(%1609) : (tensor<6xui32>) -> tensor<6xui64>
    %1622 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1623 = "stablehlo.multiply"(%1621, %1622) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1624 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1625 = "stablehlo.shift_right_logical"(%1623, %1624) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1626 = "stablehlo.convert"(%1625) : (tensor<6xui64>) -> tensor<6xui32>
    %1627 = "stablehlo.convert"(%1623) : (tensor<6xui64>) -> tensor<6xui32>
    %1628 = "stablehlo.xor"(%1626, %1605) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1629 = "stablehlo.xor"(%1628, %1611) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1630 = "stablehlo.xor"(%1619, %1598) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1631 = "stablehlo.xor"(%1630, %1613) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1632 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1633 = "stablehlo.add"(%1611, %1632) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1634 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1635 = "stablehlo.add"(%1613, %1634) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1636 = "stablehlo.convert"(%1629) : (tensor<6xui32>) -> tensor<6xui64>
    %1637 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1638 = "stablehlo.multiply"(%1636, %1637) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1639 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1640 = "stablehlo.shift_right_logical"(%1638, %1639) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1641 = "stablehlo.convert"(%1640) : (tensor<6xui64>) -> tensor<6xui32>
    %1642 = "stablehlo.convert"(%1638) : (tensor<6xui64>) -> tensor<6xui32>
    %1643 = "stablehlo.convert"(%1631) : (tensor<6xui32>) -> tensor<6xui64>
    %1644 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1645 = "stablehlo.multiply"(%1643, %1644) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1646 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1647 = "stablehlo.shift_right_logical"(%1645, %1646) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1648 = "stablehlo.convert"(%1647) : (tensor<6xui64>) -> tensor<6xui32>
    %1649 = "stablehlo.convert"(%1645) : (tensor<6xui64>) -> tensor<6xui32>
    %1650 = "stablehlo.xor"(%1648, %1627) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1651 = "stablehlo.xor"(%1650, %1633) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1652 = "stablehlo.xor"(%1641, %1620) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1653 = "stablehlo.xor"(%1652, %1635) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1654 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1655 = "stablehlo.add"(%1633, %1654) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1656 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1657 = "stablehlo.add"(%1635, %1656) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1658 = "stablehlo.convert"(%1651) : (tensor<6xui32>) -> tensor<6xui64>
    %1659 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1660 = "stablehlo.multiply"(%1658, %1659) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1661 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1662 = "stablehlo.shift_right_logical"(%1660, %1661) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1663 = "stablehlo.convert"(%1662) : (tensor<6xui64>) -> tensor<6xui32>
    %1664 = "stablehlo.convert"(%1660) : (tensor<6xui64>) -> tensor<6xui32>
    %1665 = "stablehlo.convert"(%1653) : (tensor<6xui32>) -> tensor<6xui64>
    %1666 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1667 = "stablehlo.multiply"(%1665, %1666) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1668 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1669 = "stablehlo.shift_right_logical"(%1667, %1668) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1670 = "stablehlo.convert"(%1669) : (tensor<6xui64>) -> tensor<6xui32>
    %1671 = "stablehlo.convert"(%1667) : (tensor<6xui64>) -> tensor<6xui32>
    %1672 = "stablehlo.xor"(%1670, %1649) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1673 = "stablehlo.xor"(%1672, %1655) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1674 = "stablehlo.xor"(%1663, %1642) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1675 = "stablehlo.xor"(%1674, %1657) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1676 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1677 = "stablehlo.add"(%1655, %1676) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1678 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1679 = "stablehlo.add"(%1657, %1678) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1680 = "stablehlo.convert"(%1673) : (tensor<6xui32>) -> tensor<6xui64>
    %1681 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1682 = "stablehlo.multiply"(%1680, %1681) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1683 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1684 = "stablehlo.shift_right_logical"(%1682, %1683) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1685 = "stablehlo.convert"(%1684) : (tensor<6xui64>) -> tensor<6xui32>
    %1686 = "stablehlo.convert"(%1682) : (tensor<6xui64>) -> tensor<6xui32>
    %1687 = "stablehlo.convert"(%1675) : (tensor<6xui32>) -> tensor<6xui64>
    %1688 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1689 = "stablehlo.multiply"(%1687, %1688) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1690 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1691 = "stablehlo.shift_right_logical"(%1689, %1690) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1692 = "stablehlo.convert"(%1691) : (tensor<6xui64>) -> tensor<6xui32>
    %1693 = "stablehlo.convert"(%1689) : (tensor<6xui64>) -> tensor<6xui32>
    %1694 = "stablehlo.xor"(%1692, %1671) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1695 = "stablehlo.xor"(%1694, %1677) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1696 = "stablehlo.xor"(%1685, %1664) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1697 = "stablehlo.xor"(%1696, %1679) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1698 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1699 = "stablehlo.add"(%1677, %1698) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1700 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1701 = "stablehlo.add"(%1679, %1700) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1702 = "stablehlo.convert"(%1695) : (tensor<6xui32>) -> tensor<6xui64>
    %1703 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1704 = "stablehlo.multiply"(%1702, %1703) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1705 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1706 = "stablehlo.shift_right_logical"(%1704, %1705) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1707 = "stablehlo.convert"(%1706) : (tensor<6xui64>) -> tensor<6xui32>
    %1708 = "stablehlo.convert"(%1704) : (tensor<6xui64>) -> tensor<6xui32>
    %1709 = "stablehlo.convert"(%1697) : (tensor<6xui32>) -> tensor<6xui64>
    %1710 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1711 = "stablehlo.multiply"(%1709, %1710) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1712 = "stablehlo.constant"() <{value = dense<32> : tensor<6xui64>}> : () -> tensor<6xui64>
    %1713 = "stablehlo.shift_right_logical"(%1711, %1712) : (tensor<6xui64>, tensor<6xui64>) -> tensor<6xui64>
    %1714 = "stablehlo.convert"(%1713) : (tensor<6xui64>) -> tensor<6xui32>
    %1715 = "stablehlo.convert"(%1711) : (tensor<6xui64>) -> tensor<6xui32>
    %1716 = "stablehlo.xor"(%1714, %1693) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1717 = "stablehlo.xor"(%1716, %1699) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1718 = "stablehlo.xor"(%1707, %1686) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1719 = "stablehlo.xor"(%1718, %1701) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1720 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1721 = "stablehlo.add"(%1699, %1720) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1722 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<6xui32>}> : () -> tensor<6xui32>
    %1723 = "stablehlo.add"(%1701, %1722) : (tensor<6xui32>, tensor<6xui32>) -> tensor<6xui32>
    %1724 = "stablehlo.reshape"(%1717) : (tensor<6xui32>) -> tensor<6x1xui32>
    %1725 = "stablehlo.reshape"(%1715) : (tensor<6xui32>) -> tensor<6x1xui32>
    %1726 = "stablehlo.reshape"(%1719) : (tensor<6xui32>) -> tensor<6x1xui32>
    %1727 = "stablehlo.reshape"(%1708) : (tensor<6xui32>) -> tensor<6x1xui32>
    %1728 = "stablehlo.concatenate"(%1724, %1725, %1726, %1727) <{dimension = 1 : i64}> : (tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>) -> tensor<6x4xui32>
    %1729 = "stablehlo.reshape"(%1728) : (tensor<6x4xui32>) -> tensor<24xui32>
    %1730 = "stablehlo.slice"(%1729) <{start_indices = array<i64: 0>, limit_indices = array<i64: 21>, strides = array<i64: 1>}> : (tensor<24xui32>) -> tensor<21xui32>
    %1731 = "stablehlo.reshape"(%1730) : (tensor<21xui32>) -> tensor<3x7xui32>
    %1732 = "stablehlo.bitcast_convert"(%1731) : (tensor<3x7xui32>) -> tensor<3x7xi32>
    %1733 = "stablehlo.broadcast_in_dim"(%248) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<2x0xi32>
    %1734 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<250xui64>
    %1735 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 1>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %1736 = "stablehlo.convert"(%1735) : (tensor<1xi64>) -> tensor<1xui64>
    %1737 = "stablehlo.reshape"(%1736) : (tensor<1xui64>) -> tensor<ui64>
    %1738 = "stablehlo.broadcast_in_dim"(%1737) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<250xui64>
    %1739 = "stablehlo.add"(%1738, %1734) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1740 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xi64>) -> tensor<1xi64>
    %1741 = "stablehlo.convert"(%1740) : (tensor<1xi64>) -> tensor<1xui64>
    %1742 = "stablehlo.reshape"(%1741) : (tensor<1xui64>) -> tensor<ui64>
    %1743 = "stablehlo.broadcast_in_dim"(%1742) <{broadcast_dimensions = array<i64>}> : (tensor<ui64>) -> tensor<250xui64>
    %1744 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1745 = "stablehlo.shift_right_logical"(%1743, %1744) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1746 = "stablehlo.convert"(%1745) : (tensor<250xui64>) -> tensor<250xui32>
    %1747 = "stablehlo.convert"(%1743) : (tensor<250xui64>) -> tensor<250xui32>
    %1748 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1749 = "stablehlo.shift_right_logical"(%1739, %1748) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1750 = "stablehlo.convert"(%1749) : (tensor<250xui64>) -> tensor<250xui32>
    %1751 = "stablehlo.convert"(%1739) : (tensor<250xui64>) -> tensor<250xui32>
    %1752 = "stablehlo.constant"() <{value = dense<0> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1753 = "stablehlo.convert"(%1751) : (tensor<250xui32>) -> tensor<250xui64>
    %1754 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1755 = "stablehlo.multiply"(%1753, %1754) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1756 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1757 = "stablehlo.shift_right_logical"(%1755, %1756) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1758 = "stablehlo.convert"(%1757) : (tensor<250xui64>) -> tensor<250xui32>
    %1759 = "stablehlo.convert"(%1755) : (tensor<250xui64>) -> tensor<250xui32>
    %1760 = "stablehlo.convert"(%1752) : (tensor<250xui32>) -> tensor<250xui64>
    %1761 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1762 = "stablehlo.multiply"(%1760, %1761) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1763 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1764 = "stablehlo.shift_right_logical"(%1762, %1763) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1765 = "stablehlo.convert"(%1764) : (tensor<250xui64>) -> tensor<250xui32>
    %1766 = "stablehlo.convert"(%1762) : (tensor<250xui64>) -> tensor<250xui32>
    %1767 = "stablehlo.xor"(%1765, %1750) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1768 = "stablehlo.xor"(%1767, %1747) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1769 = "stablehlo.xor"(%1758, %1752) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1770 = "stablehlo.xor"(%1769, %1746) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1771 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1772 = "stablehlo.add"(%1747, %1771) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1773 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1774 = "stablehlo.add"(%1746, %1773) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1775 = "stablehlo.convert"(%1768) : (tensor<250xui32>) -> tensor<250xui64>
    %1776 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1777 = "stablehlo.multiply"(%1775, %1776) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1778 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1779 = "stablehlo.shift_right_logical"(%1777, %1778) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1780 = "stablehlo.convert"(%1779) : (tensor<250xui64>) -> tensor<250xui32>
    %1781 = "stablehlo.convert"(%1777) : (tensor<250xui64>) -> tensor<250xui32>
    %1782 = "stablehlo.convert"(%1770) : (tensor<250xui32>) -> tensor<250xui64>
    %1783 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1784 = "stablehlo.multiply"(%1782, %1783) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1785 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1786 = "stablehlo.shift_right_logical"(%1784, %1785) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1787 = "stablehlo.convert"(%1786) : (tensor<250xui64>) -> tensor<250xui32>
    %1788 = "stablehlo.convert"(%1784) : (tensor<250xui64>) -> tensor<250xui32>
    %1789 = "stablehlo.xor"(%1787, %1766) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1790 = "stablehlo.xor"(%1789, %1772) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1791 = "stablehlo.xor"(%1780, %1759) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1792 = "stablehlo.xor"(%1791, %1774) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1793 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1794 = "stablehlo.add"(%1772, %1793) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1795 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1796 = "stablehlo.add"(%1774, %1795) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1797 = "stablehlo.convert"(%1790) : (tensor<250xui32>) -> tensor<250xui64>
    %1798 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1799 = "stablehlo.multiply"(%1797, %1798) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1800 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1801 = "stablehlo.shift_right_logical"(%1799, %1800) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1802 = "stablehlo.convert"(%1801) : (tensor<250xui64>) -> tensor<250xui32>
    %1803 = "stablehlo.convert"(%1799) : (tensor<250xui64>) -> tensor<250xui32>
    %1804 = "stablehlo.convert"(%1792) : (tensor<250xui32>) -> tensor<250xui64>
    %1805 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1806 = "stablehlo.multiply"(%1804, %1805) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1807 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1808 = "stablehlo.shift_right_logical"(%1806, %1807) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1809 = "stablehlo.convert"(%1808) : (tensor<250xui64>) -> tensor<250xui32>
    %1810 = "stablehlo.convert"(%1806) : (tensor<250xui64>) -> tensor<250xui32>
    %1811 = "stablehlo.xor"(%1809, %1788) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1812 = "stablehlo.xor"(%1811, %1794) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1813 = "stablehlo.xor"(%1802, %1781) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1814 = "stablehlo.xor"(%1813, %1796) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1815 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1816 = "stablehlo.add"(%1794, %1815) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1817 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1818 = "stablehlo.add"(%1796, %1817) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1819 = "stablehlo.convert"(%1812) : (tensor<250xui32>) -> tensor<250xui64>
    %1820 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1821 = "stablehlo.multiply"(%1819, %1820) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1822 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1823 = "stablehlo.shift_right_logical"(%1821, %1822) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1824 = "stablehlo.convert"(%1823) : (tensor<250xui64>) -> tensor<250xui32>
    %1825 = "stablehlo.convert"(%1821) : (tensor<250xui64>) -> tensor<250xui32>
    %1826 = "stablehlo.convert"(%1814) : (tensor<250xui32>) -> tensor<250xui64>
    %1827 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1828 = "stablehlo.multiply"(%1826, %1827) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1829 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1830 = "stablehlo.shift_right_logical"(%1828, %1829) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1831 = "stablehlo.convert"(%1830) : (tensor<250xui64>) -> tensor<250xui32>
    %1832 = "stablehlo.convert"(%1828) : (tensor<250xui64>) -> tensor<250xui32>
    %1833 = "stablehlo.xor"(%1831, %1810) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1834 = "stablehlo.xor"(%1833, %1816) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1835 = "stablehlo.xor"(%1824, %1803) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1836 = "stablehlo.xor"(%1835, %1818) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1837 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1838 = "stablehlo.add"(%1816, %1837) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1839 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1840 = "stablehlo.add"(%1818, %1839) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1841 = "stablehlo.convert"(%1834) : (tensor<250xui32>) -> tensor<250xui64>
    %1842 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1843 = "stablehlo.multiply"(%1841, %1842) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1844 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1845 = "stablehlo.shift_right_logical"(%1843, %1844) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1846 = "stablehlo.convert"(%1845) : (tensor<250xui64>) -> tensor<250xui32>
    %1847 = "stablehlo.convert"(%1843) : (tensor<250xui64>) -> tensor<250xui32>
    %1848 = "stablehlo.convert"(%1836) : (tensor<250xui32>) -> tensor<250xui64>
    %1849 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1850 = "stablehlo.multiply"(%1848, %1849) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1851 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1852 = "stablehlo.shift_right_logical"(%1850, %1851) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1853 = "stablehlo.convert"(%1852) : (tensor<250xui64>) -> tensor<250xui32>
    %1854 = "stablehlo.convert"(%1850) : (tensor<250xui64>) -> tensor<250xui32>
    %1855 = "stablehlo.xor"(%1853, %1832) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1856 = "stablehlo.xor"(%1855, %1838) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1857 = "stablehlo.xor"(%1846, %1825) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1858 = "stablehlo.xor"(%1857, %1840) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1859 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1860 = "stablehlo.add"(%1838, %1859) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1861 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1862 = "stablehlo.add"(%1840, %1861) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1863 = "stablehlo.convert"(%1856) : (tensor<250xui32>) -> tensor<250xui64>
    %1864 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1865 = "stablehlo.multiply"(%1863, %1864) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1866 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1867 = "stablehlo.shift_right_logical"(%1865, %1866) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1868 = "stablehlo.convert"(%1867) : (tensor<250xui64>) -> tensor<250xui32>
    %1869 = "stablehlo.convert"(%1865) : (tensor<250xui64>) -> tensor<250xui32>
    %1870 = "stablehlo.convert"(%1858) : (tensor<250xui32>) -> tensor<250xui64>
    %1871 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1872 = "stablehlo.multiply"(%1870, %1871) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1873 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1874 = "stablehlo.shift_right_logical"(%1872, %1873) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1875 = "stablehlo.convert"(%1874) : (tensor<250xui64>) -> tensor<250xui32>
    %1876 = "stablehlo.convert"(%1872) : (tensor<250xui64>) -> tensor<250xui32>
    %1877 = "stablehlo.xor"(%1875, %1854) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1878 = "stablehlo.xor"(%1877, %1860) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1879 = "stablehlo.xor"(%1868, %1847) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1880 = "stablehlo.xor"(%1879, %1862) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1881 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1882 = "stablehlo.add"(%1860, %1881) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1883 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1884 = "stablehlo.add"(%1862, %1883) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1885 = "stablehlo.convert"(%1878) : (tensor<250xui32>) -> tensor<250xui64>
    %1886 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1887 = "stablehlo.multiply"(%1885, %1886) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1888 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1889 = "stablehlo.shift_right_logical"(%1887, %1888) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1890 = "stablehlo.convert"(%1889) : (tensor<250xui64>) -> tensor<250xui32>
    %1891 = "stablehlo.convert"(%1887) : (tensor<250xui64>) -> tensor<250xui32>
    %1892 = "stablehlo.convert"(%1880) : (tensor<250xui32>) -> tensor<250xui64>
    %1893 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1894 = "stablehlo.multiply"(%1892, %1893) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1895 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1896 = "stablehlo.shift_right_logical"(%1894, %1895) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1897 = "stablehlo.convert"(%1896) : (tensor<250xui64>) -> tensor<250xui32>
    %1898 = "stablehlo.convert"(%1894) : (tensor<250xui64>) -> tensor<250xui32>
    %1899 = "stablehlo.xor"(%1897, %1876) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1900 = "stablehlo.xor"(%1899, %1882) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1901 = "stablehlo.xor"(%1890, %1869) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1902 = "stablehlo.xor"(%1901, %1884) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1903 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1904 = "stablehlo.add"(%1882, %1903) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1905 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1906 = "stablehlo.add"(%1884, %1905) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1907 = "stablehlo.convert"(%1900) : (tensor<250xui32>) -> tensor<250xui64>
    %1908 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1909 = "stablehlo.multiply"(%1907, %1908) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1910 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1911 = "stablehlo.shift_right_logical"(%1909, %1910) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1912 = "stablehlo.convert"(%1911) : (tensor<250xui64>) -> tensor<250xui32>
    %1913 = "stablehlo.convert"(%1909) : (tensor<250xui64>) -> tensor<250xui32>
    %1914 = "stablehlo.convert"(%1902) : (tensor<250xui32>) -> tensor<250xui64>
    %1915 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1916 = "stablehlo.multiply"(%1914, %1915) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1917 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1918 = "stablehlo.shift_right_logical"(%1916, %1917) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1919 = "stablehlo.convert"(%1918) : (tensor<250xui64>) -> tensor<250xui32>
    %1920 = "stablehlo.convert"(%1916) : (tensor<250xui64>) -> tensor<250xui32>
    %1921 = "stablehlo.xor"(%1919, %1898) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1922 = "stablehlo.xor"(%1921, %1904) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1923 = "stablehlo.xor"(%1912, %1891) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1924 = "stablehlo.xor"(%1923, %1906) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1925 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1926 = "stablehlo.add"(%1904, %1925) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1927 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1928 = "stablehlo.add"(%1906, %1927) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1929 = "stablehlo.convert"(%1922) : (tensor<250xui32>) -> tensor<250xui64>
    %1930 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1931 = "stablehlo.multiply"(%1929, %1930) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1932 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1933 = "stablehlo.shift_right_logical"(%1931, %1932) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1934 = "stablehlo.convert"(%1933) : (tensor<250xui64>) -> tensor<250xui32>
    %1935 = "stablehlo.convert"(%1931) : (tensor<250xui64>) -> tensor<250xui32>
    %1936 = "stablehlo.convert"(%1924) : (tensor<250xui32>) -> tensor<250xui64>
    %1937 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1938 = "stablehlo.multiply"(%1936, %1937) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1939 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1940 = "stablehlo.shift_right_logical"(%1938, %1939) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1941 = "stablehlo.convert"(%1940) : (tensor<250xui64>) -> tensor<250xui32>
    %1942 = "stablehlo.convert"(%1938) : (tensor<250xui64>) -> tensor<250xui32>
    %1943 = "stablehlo.xor"(%1941, %1920) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1944 = "stablehlo.xor"(%1943, %1926) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1945 = "stablehlo.xor"(%1934, %1913) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1946 = "stablehlo.xor"(%1945, %1928) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1947 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1948 = "stablehlo.add"(%1926, %1947) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1949 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1950 = "stablehlo.add"(%1928, %1949) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1951 = "stablehlo.convert"(%1944) : (tensor<250xui32>) -> tensor<250xui64>
    %1952 = "stablehlo.constant"() <{value = dense<3528531795> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1953 = "stablehlo.multiply"(%1951, %1952) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1954 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1955 = "stablehlo.shift_right_logical"(%1953, %1954) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1956 = "stablehlo.convert"(%1955) : (tensor<250xui64>) -> tensor<250xui32>
    %1957 = "stablehlo.convert"(%1953) : (tensor<250xui64>) -> tensor<250xui32>
    %1958 = "stablehlo.convert"(%1946) : (tensor<250xui32>) -> tensor<250xui64>
    %1959 = "stablehlo.constant"() <{value = dense<3449720151> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1960 = "stablehlo.multiply"(%1958, %1959) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1961 = "stablehlo.constant"() <{value = dense<32> : tensor<250xui64>}> : () -> tensor<250xui64>
    %1962 = "stablehlo.shift_right_logical"(%1960, %1961) : (tensor<250xui64>, tensor<250xui64>) -> tensor<250xui64>
    %1963 = "stablehlo.convert"(%1962) : (tensor<250xui64>) -> tensor<250xui32>
    %1964 = "stablehlo.convert"(%1960) : (tensor<250xui64>) -> tensor<250xui32>
    %1965 = "stablehlo.xor"(%1963, %1942) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1966 = "stablehlo.xor"(%1965, %1948) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1967 = "stablehlo.xor"(%1956, %1935) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1968 = "stablehlo.xor"(%1967, %1950) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1969 = "stablehlo.constant"() <{value = dense<2654435769> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1970 = "stablehlo.add"(%1948, %1969) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1971 = "stablehlo.constant"() <{value = dense<3144134277> : tensor<250xui32>}> : () -> tensor<250xui32>
    %1972 = "stablehlo.add"(%1950, %1971) : (tensor<250xui32>, tensor<250xui32>) -> tensor<250xui32>
    %1973 = "stablehlo.reshape"(%1966) : (tensor<250xui32>) -> tensor<250x1xui32>
    %1974 = "stablehlo.reshape"(%1964) : (tensor<250xui32>) -> tensor<250x1xui32>
    %1975 = "stablehlo.reshape"(%1968) : (tensor<250xui32>) -> tensor<250x1xui32>
    %1976 = "stablehlo.reshape"(%1957) : (tensor<250xui32>) -> tensor<250x1xui32>
    %1977 = "stablehlo.concatenate"(%1973, %1974, %1975, %1976) <{dimension = 1 : i64}> : (tensor<250x1xui32>, tensor<250x1xui32>, tensor<250x1xui32>, tensor<250x1xui32>) -> tensor<250x4xui32>
    %1978 = "stablehlo.reshape"(%1977) : (tensor<250x4xui32>) -> tensor<1000xui32>
    %1979 = "stablehlo.slice"(%1978) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1000>, strides = array<i64: 1>}> : (tensor<1000xui32>) -> tensor<1000xui32>
    %1980 = "stablehlo.bitcast_convert"(%1979) : (tensor<1000xui32>) -> tensor<1000xi32>
    "func.return"(%247, %249, %496, %743, %990, %1237, %1484, %1732, %1733, %1980) : (tensor<i32>, tensor<0xi32>, tensor<1xi32>, tensor<3xi32>, tensor<4xi32>, tensor<5xi32>, tensor<33xi32>, tensor<3x7xi32>, tensor<2x0xi32>, tensor<1000xi32>) -> ()
  }
}
// call f32[0]
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<0xf32> {reel.name = "x0"}, %arg1: tensor<0xf32> {reel.name = "x1"}) -> (tensor<0xf32> {reel.name = "result0"}, tensor<0xf32> {reel.name = "result1"}, tensor<0xf32> {reel.name = "result2"}, tensor<0xf32> {reel.name = "result3"}, tensor<0xf32> {reel.name = "result4"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<0xf32>
    "func.return"(%1, %arg1, %arg1, %1, %arg1) : (tensor<0xf32>, tensor<0xf32>, tensor<0xf32>, tensor<0xf32>, tensor<0xf32>) -> ()
  }
}
// if f32[]
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<f32> {reel.name = "x0"}, %arg1: tensor<f32> {reel.name = "x1"}, %arg2: tensor<i1> {reel.name = "x2"}, %arg3: tensor<i1> {reel.name = "x3"}) -> (tensor<f32> {reel.name = "result0"}, tensor<f32> {reel.name = "result1"}, tensor<f32> {reel.name = "result2"}, tensor<f32> {reel.name = "result3"}) attributes {reel.entry = "main"} {
    %0:2 = "stablehlo.if"(%arg2) ({
      %1:2 = "func.call"(%arg0, %arg1) <{callee = @product}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      "stablehlo.return"(%1#0, %1#1) : (tensor<f32>, tensor<f32>) -> ()
    }, {
      %2:2 = "func.call"(%arg0, %arg1) <{callee = @sum}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      "stablehlo.return"(%2#0, %2#1) : (tensor<f32>, tensor<f32>) -> ()
    }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
    %3:2 = "stablehlo.if"(%arg3) ({
      %4:2 = "func.call"(%arg0, %arg1) <{callee = @product}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      "stablehlo.return"(%4#0, %4#1) : (tensor<f32>, tensor<f32>) -> ()
    }, {
      %5:2 = "func.call"(%arg0, %arg1) <{callee = @sum}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      "stablehlo.return"(%5#0, %5#1) : (tensor<f32>, tensor<f32>) -> ()
    }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
    "func.return"(%0#0, %0#1, %3#0, %3#1) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> ()
  }
  func.func private @product(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%0, %arg0) : (tensor<f32>, tensor<f32>) -> ()
  }
  func.func private @sum(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%0, %arg1) : (tensor<f32>, tensor<f32>) -> ()
  }
}
// while f32[] at most 0
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<f32> {reel.name = "x0"}, %arg1: tensor<f32> {reel.name = "x1"}) -> (tensor<f32> {reel.name = "result0"}, tensor<f32> {reel.name = "result1"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %1:3 = "stablehlo.while"(%arg0, %arg1, %0) ({
     ^bb0(%2: tensor<f32>, %3: tensor<f32>, %4: tensor<i64>):
      %5 = "func.call"(%2, %3) <{callee = @small}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
      %7 = "stablehlo.compare"(%4, %6) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %8 = "stablehlo.and"(%5, %7) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%8) : (tensor<i1>) -> ()
    }, {
     ^bb0(%9: tensor<f32>, %10: tensor<f32>, %11: tensor<i64>):
      %12:2 = "func.call"(%9, %10) <{callee = @grow}> : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %13 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %14 = "stablehlo.add"(%11, %13) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%12#0, %12#1, %14) : (tensor<f32>, tensor<f32>, tensor<i64>) -> ()
    }) : (tensor<f32>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<f32>, tensor<i64>)
    "func.return"(%1#0, %1#1) : (tensor<f32>, tensor<f32>) -> ()
  }
  func.func private @small(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<i1>) {
    %0 = "stablehlo.constant"() <{value = dense<1.0e+06> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.compare"(%arg0, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "func.return"(%1) : (tensor<i1>) -> ()
  }
  func.func private @grow(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%0, %arg1) : (tensor<f32>, tensor<f32>) -> ()
  }
}
// check_index f32[5] axis 0 at i32[] 3
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i32> {reel.name = "x0"}) -> (tensor<i32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    "func.return"(%arg0) : (tensor<i32>) -> ()
  }
}
// check_integer divisors i32[]
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i32> {reel.name = "x0"}) -> (tensor<i32> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    "func.return"(%arg0) : (tensor<i32>) -> ()
  }
}
// all_reduce i8[] max
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i8> {reel.name = "x0"}) -> (tensor<i8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
     ^bb0(%1: tensor<i8>, %2: tensor<i8>):
      %3 = "stablehlo.maximum"(%1, %2) : (tensor<i8>, tensor<i8>) -> tensor<i8>
      "stablehlo.return"(%3) : (tensor<i8>) -> ()
    }) : (tensor<i8>) -> tensor<i8>
    "func.return"(%0) : (tensor<i8>) -> ()
  }
}
// all_gather bool[1]
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1xi1> {reel.name = "x0"}) -> (tensor<1xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<1xi1>) -> tensor<1xi1>
    "func.return"(%0) : (tensor<1xi1>) -> ()
  }
}
// reduce_scatter i8[1,1] sum
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1x1xi8> {reel.name = "x0"}) -> (tensor<1x1xi8> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.reduce_scatter"(%arg0) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({
     ^bb0(%1: tensor<i8>, %2: tensor<i8>):
      %3 = "stablehlo.add"(%1, %2) : (tensor<i8>, tensor<i8>) -> tensor<i8>
      "stablehlo.return"(%3) : (tensor<i8>) -> ()
    }) : (tensor<1x1xi8>) -> tensor<1x1xi8>
    "func.return"(%0) : (tensor<1x1xi8>) -> ()
  }
}
// all_to_all bool[1]
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<1xi1> {reel.name = "x0"}) -> (tensor<1xi1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<1xi1>) -> tensor<1xi1>
    "func.return"(%0) : (tensor<1xi1>) -> ()
  }
}
// broadcast_from bool[]
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<i1> {reel.name = "x0"}) -> (tensor<i1> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<i1>) -> tensor<1xi1>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<1xi1>) -> tensor<1xi1>
    %2 = "stablehlo.slice"(%1) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<1xi1>) -> tensor<1xi1>
    %3 = "stablehlo.reshape"(%2) : (tensor<1xi1>) -> tensor<i1>
    "func.return"(%3) : (tensor<i1>) -> ()
  }
}
// group_rank 
module @module attributes {reel.module = "module", reel.stablehlo_version = "1.0.0"} {
  func.func public @main() -> (tensor<i64> {reel.name = "result0"}) attributes {reel.entry = "main"} {
    %0 = "stablehlo.replica_id"() : () -> tensor<ui32>
    %1 = "stablehlo.convert"(%0) : (tensor<ui32>) -> tensor<i64>
    "func.return"(%1) : (tensor<i64>) -> ()
  }
}
