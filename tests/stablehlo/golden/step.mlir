module @m attributes {reel.module = "m", reel.stablehlo_version = "1.0.0"} {
  func.func public @main(%arg0: tensor<3xf32> {reel.name = "x"}, %arg1: tensor<3xf32> {reel.variable = "w"}, %arg2: tensor<i64> {reel.variable = "count"}) -> (tensor<f32> {reel.name = "loss"}, tensor<3xf32> {reel.variable = "w"}) attributes {reel.entry = "train"} {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc(#loc0)
    %1 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32> loc(#loc1)
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({
     ^bb0(%3: tensor<f32>, %4: tensor<f32>):
      %5 = "stablehlo.add"(%3, %4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32> loc(#loc1)
    %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %8:3 = "stablehlo.while"(%6, %arg1, %7) ({
     ^bb0(%9: tensor<i64>, %10: tensor<3xf32>, %11: tensor<i64>):
      %12 = "func.call"(%9, %10) <{callee = @less}> : (tensor<i64>, tensor<3xf32>) -> tensor<i1>
      %13 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
      %14 = "stablehlo.compare"(%11, %13) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %15 = "stablehlo.and"(%12, %14) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%15) : (tensor<i1>) -> ()
    }, {
     ^bb0(%16: tensor<i64>, %17: tensor<3xf32>, %18: tensor<i64>):
      %19:2 = "func.call"(%16, %17) <{callee = @twice}> : (tensor<i64>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>)
      %20 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %21 = "stablehlo.add"(%18, %20) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%19#0, %19#1, %21) : (tensor<i64>, tensor<3xf32>, tensor<i64>) -> ()
    }) : (tensor<i64>, tensor<3xf32>, tensor<i64>) -> (tensor<i64>, tensor<3xf32>, tensor<i64>)
    %22 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.compare"(%2, %22) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %24 = "stablehlo.if"(%23) ({
      %25 = "func.call"(%8#1) <{callee = @turn}> : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%25) : (tensor<3xf32>) -> ()
    }, {
      %26 = "func.call"(%8#1) <{callee = @keep}> : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%26) : (tensor<3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<3xf32>
    "func.return"(%2, %24) : (tensor<f32>, tensor<3xf32>) -> ()
  }
  func.func private @less(%arg0: tensor<i64>, %arg1: tensor<3xf32>) -> (tensor<i1>) {
    %0 = "stablehlo.constant"() <{value = dense<4> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.compare"(%arg0, %0) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "func.return"(%1) : (tensor<i1>) -> ()
  }
  func.func private @twice(%arg0: tensor<i64>, %arg1: tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>) {
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = "stablehlo.add"(%arg1, %arg1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%1, %2) : (tensor<i64>, tensor<3xf32>) -> ()
  }
  func.func private @keep(%arg0: tensor<3xf32>) -> (tensor<3xf32>) {
    "func.return"(%arg0) : (tensor<3xf32>) -> ()
  }
  func.func private @turn(%arg0: tensor<3xf32>) -> (tensor<3xf32>) {
    %0 = "stablehlo.negate"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
#loc0 = loc("step.py":3:0)
#loc1 = loc("sum"("step.py":4:0))
